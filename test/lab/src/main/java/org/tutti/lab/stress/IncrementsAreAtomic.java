package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.coll.window.LockPair;

/// Two ranks increment one long under the accumulate lock of the target.
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the other way round")
@Outcome(expect = Expect.FORBIDDEN, desc = "at the same time")
@State
public class IncrementsAreAtomic {
    private final LockPair locks = new LockPair();

    @Actor
    public void first(JJ_Result r) {
        r.r1 = locks.increment(0);
    }

    @Actor
    public void second(JJ_Result r) {
        r.r2 = locks.increment(1);
    }

    @Arbiter
    public void close(JJ_Result r) {
        locks.close();
    }
}
