package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tutti.coll.window.LockPair;

/// One rank stores two longs under an exclusive lock of a window, and the second loads the longs under a shared
/// lock.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "before the stores")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "after the stores")
@Outcome(expect = Expect.FORBIDDEN, desc = "between the stores")
@State
public class LockedPairIsConsistent {
    private final LockPair locks = new LockPair();

    @Actor
    public void writer() {
        locks.lock(0, true);
        locks.store(0, 1);
        locks.store(1, 2);
        locks.unlock(0);
    }

    @Actor
    public void reader(JJ_Result r) {
        locks.lock(1, false);
        r.r1 = locks.load(0);
        r.r2 = locks.load(1);
        locks.unlock(1);
    }

    @Arbiter
    public void close(JJ_Result r) {
        locks.close();
    }
}
