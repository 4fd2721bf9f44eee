package org.tutti.shm.segment;

import java.lang.invoke.VarHandle;
import org.tutti.job.os.OsPlatform;

/// How a rank sleeps until another one has something for it.
///
/// Sleeper: announce, take the bell's value, full fence, look once more, sleep while the bell has that
/// value. Waker: publish, full fence, look whether anybody announced himself, change the bell, wake. One
/// of the two always sees the other, so no wake-up is lost.
public abstract sealed class Bells {
    private final Segment segment;

    private Bells(Segment segment) {
        this.segment = segment;
    }

    /// For ranks in processes.
    public static Bells ofProcesses(Segment segment, OsPlatform door) {
        return new DoorBells(segment, door);
    }

    /// For ranks that are threads of this JVM; one object, shared by all of them.
    public static Bells ofThreads(Segment segment) {
        return new MonitorBells(segment);
    }

    /// Whether the ranks are threads of one process.
    public final boolean areOfThreads() {
        return this instanceof MonitorBells;
    }

    /// Whether a sleeper can be woken; where not, it looks again and again.
    public abstract boolean canSleep();

    /// The first step of a sleeper. Returns what [#sleep] is to be given; [#rise] must follow.
    public final int announce(int rank) {
        segment.addSleepers(rank, 1);
        int bell = segment.bell(rank);
        VarHandle.fullFence();
        return bell;
    }

    /// Sleeps while the bell is what it was at [#announce], for at most `nanos`, or less.
    ///
    /// @throws InterruptedException only between ranks that are threads
    public abstract void sleep(int rank, int bell, long nanos) throws InterruptedException;

    /// The last step of a sleeper.
    public final void rise(int rank) {
        segment.addSleepers(rank, -1);
    }

    /// Wakes `rank` if it sleeps. What it is woken for has been published before.
    public final void ring(int rank) {
        VarHandle.fullFence();
        ringAfterFence(rank);
    }

    /// The same after a full fence of the caller's, which has one for several ranks.
    public final void ringAfterFence(int rank) {
        if (segment.sleepers(rank) != 0) {
            segment.changeBell(rank);
            wake(rank);
        }
    }

    abstract void wake(int rank);

    private static final class DoorBells extends Bells {
        private final Segment segment;
        private final OsPlatform door;

        DoorBells(Segment segment, OsPlatform door) {
            super(segment);
            this.segment = segment;
            this.door = door;
        }

        @Override
        public boolean canSleep() {
            return door.canSleep();
        }

        @Override
        public void sleep(int rank, int bell, long nanos) {
            door.sleep(segment.memory().segment(), segment.bellOffset(rank), bell, nanos);
        }

        @Override
        void wake(int rank) {
            door.wake(segment.memory().segment(), segment.bellOffset(rank));
        }
    }

    private static final class MonitorBells extends Bells {
        private final Segment segment;
        private final Object[] monitors;

        MonitorBells(Segment segment) {
            super(segment);
            this.segment = segment;
            monitors = new Object[segment.capacity()];
            for (int r = 0; r < monitors.length; r++) monitors[r] = new Object();
        }

        @Override
        public boolean canSleep() {
            return true;
        }

        @Override
        public void sleep(int rank, int bell, long nanos) throws InterruptedException {
            synchronized (monitors[rank]) {
                if (segment.bell(rank) == bell) monitors[rank].wait(Math.max(1, nanos / 1_000_000));
            }
        }

        @Override
        void wake(int rank) {
            synchronized (monitors[rank]) {
                monitors[rank].notifyAll();
            }
        }
    }
}
