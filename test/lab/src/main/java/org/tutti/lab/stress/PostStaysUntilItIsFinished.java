package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;

/// All slots are full. One rank overwrites the first slot as soon as it may. The other rank reads this slot and
/// then marks the call as finished.
@JCStressTest
@Outcome(id = "42, true", expect = Expect.ACCEPTABLE, desc = "read, then written over")
@Outcome(id = "42, false", expect = Expect.ACCEPTABLE, desc = "read, and not written over yet")
@Outcome(expect = Expect.FORBIDDEN, desc = "written over while it was read")
@State
public class PostStaysUntilItIsFinished {
    private static final long OVER = 1 + SlotPair.POSTS;

    private final SlotPair boards = new SlotPair();

    public PostStaysUntilItIsFinished() {
        for (long n = 1; n < OVER; n++) {
            SlotPair.post(boards.mine, n, 41 + n);
            boards.mine.finish(n);
        }
    }

    @Actor
    public void poster(JZ_Result r) {
        if (!boards.mine.mayPost(OVER, Long.BYTES)) return;
        SlotPair.post(boards.mine, OVER, 99);
        r.r2 = true;
    }

    @Actor
    public void reader(JZ_Result r) {
        r.r1 = boards.seen(1);
        boards.theirs.finish(1);
    }

    @Arbiter
    public void close(JZ_Result r) {
        boards.close(OVER);
    }
}
