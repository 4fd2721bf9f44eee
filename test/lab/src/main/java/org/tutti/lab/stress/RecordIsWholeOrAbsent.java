package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/// A release store of the first long publishes a record.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "incomplete")
@State
public class RecordIsWholeOrAbsent {
    private final Rings ring = new Rings();

    @Actor
    public void producer() {
        ring.produce(1);
    }

    @Actor
    public void consumer(J_Result r) {
        r.r1 = ring.peek();
    }
}
