package org.tutti.lab.stress;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;

/// The sleeper announces that it sleeps and checks again. The waker publishes a record and rings the bell. If
/// the sleeper has not found the record, the value of the bell changes before or during [Bells#sleep], which
/// therefore returns.
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "saw the record")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "sleeps and is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "redundant wakeup")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "sleeps forever")
@State
public class SleeperIsWokenForARecord {
    /// The number of ranks in the segment. The tests create millions of states, and each uses the next rank.
    /// The number exceeds the number of concurrent states.
    private static final int RANKS = 1024;

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final Bells BELLS =
            Bells.ofThreads(Segment.ofThisProcess(new PortablePlatform(), RANKS, Arena.global()));

    private final Rings ring = new Rings();
    private int bell;
    private final int rank = NEXT.getAndIncrement() & (RANKS - 1);

    @Actor
    public void waker() {
        ring.produce(1);
        BELLS.ring(rank);
    }

    @Actor
    public void sleeper(ZZ_Result r) {
        bell = BELLS.announce(rank);
        r.r1 = ring.peek() != 0;
    }

    @Arbiter
    public void bellHasChanged(ZZ_Result r) {
        BELLS.rise(rank);
        r.r2 = BELLS.announce(rank) != bell;
        BELLS.rise(rank);
    }
}
