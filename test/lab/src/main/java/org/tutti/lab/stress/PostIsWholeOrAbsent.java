package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/// The number of a call is stored in the slot last, with release.
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "whole, with the operand")
@Outcome(expect = Expect.FORBIDDEN, desc = "incomplete")
@State
public class PostIsWholeOrAbsent {
    private final SlotPair boards = new SlotPair();

    @Actor
    public void poster() {
        SlotPair.post(boards.mine, 1, 42);
    }

    @Actor
    public void reader(J_Result r) {
        if (boards.theirs.isThere(0, 1)) r.r1 = boards.seen(1);
    }

    @Arbiter
    public void close(J_Result r) {
        boards.close(1);
    }
}
