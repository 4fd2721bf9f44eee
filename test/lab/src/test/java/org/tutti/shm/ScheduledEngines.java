package org.tutti.shm;

import java.util.concurrent.locks.ReentrantLock;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Engine;

/// Opens engines that use the memory, locks and sleeps of a test.
public final class ScheduledEngines {
    private ScheduledEngines() {}

    public static Engine open(
            Segment segment, Bells bells, int rank, JobFailure failure, IdleStrategy idle, ReentrantLock lock) {
        return new ShmEngine(
                segment,
                bells,
                new Place(rank, segment.capacity(), 0),
                null,
                failure,
                (origin, code, why) -> {
                    throw new AssertionError("rank " + origin + " ends the job: " + why);
                },
                "shm, interleaved",
                idle,
                lock,
                null);
    }
}
