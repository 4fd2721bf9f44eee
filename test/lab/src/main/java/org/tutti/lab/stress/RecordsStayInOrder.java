package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/// The ring is full at first, and slots are reused, because the test sends twice as many records as the ring
/// holds.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "each record received in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record was incomplete, lost, or duplicated")
@State
public class RecordsStayInOrder {
    private static final int RECORDS = 2 * Rings.FULL;

    private final Rings ring = new Rings();

    public RecordsStayInOrder() {
        for (int i = 1; i <= Rings.FULL; i++) ring.produce(i);
    }

    @Actor
    public void producer() {
        int next = Rings.FULL + 1;
        for (int tries = 0; tries < 4 * RECORDS && next <= RECORDS; tries++) if (ring.produce(next)) next++;
    }

    /// Stores 0 as the result if the order is correct, otherwise 1000 times the expected number plus the number
    /// found.
    @Actor
    public void consumer(J_Result r) {
        int due = 1;
        for (int tries = 0; tries < 4 * RECORDS && due <= RECORDS; tries++) {
            long seen = ring.peek();
            if (seen == 0) continue;
            if (seen != due) {
                r.r1 = 1000L * due + seen;
                return;
            }
            ring.leave();
            due++;
        }
    }
}
