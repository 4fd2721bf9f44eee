package org.tutti.shm.segment;

import java.lang.invoke.VarHandle;
import org.tutti.job.os.OsPlatform;

/// Sleep and wake-up of ranks.
///
/// The steps of a sleeper are: announce, read the bell, full fence, check once more, sleep while the bell is
/// unchanged. The steps of a waker are: publish, full fence, check for announced sleepers, change the bell,
/// wake. Either the sleeper sees the published change, or the waker sees the sleeper, so no wake-up is lost.
///
/// A process without native access cannot wake other processes. It records this in the segment, and then no
/// process of the segment sleeps.
public abstract sealed class Bells {
    private final Segment segment;

    private Bells(Segment segment) {
        this.segment = segment;
    }

    /// Returns the bells of ranks in separate processes.
    public static Bells ofProcesses(Segment segment, OsPlatform platform) {
        return new PlatformBells(segment, platform);
    }

    /// Returns the bells of ranks in threads of this JVM. All ranks share one object.
    public static Bells ofThreads(Segment segment) {
        return new MonitorBells(segment);
    }

    /// Returns whether the ranks are threads of the same process.
    public final boolean areOfThreads() {
        return this instanceof MonitorBells;
    }

    /// Returns whether a sleeper can be woken. If not, the sleeper polls.
    public abstract boolean canSleep();

    /// Executes the first three steps of a sleeper. Returns the bell's value for [#sleep]. The caller must call
    /// [#rise] afterwards.
    public final int announce(int rank) {
        segment.addSleepers(rank, 1);
        int bell = segment.bell(rank);
        VarHandle.fullFence();
        return bell;
    }

    /// Sleeps for at most `nanos` nanoseconds while the bell has the value that [#announce] returned. May
    /// return early.
    ///
    /// @throws InterruptedException only if the ranks are threads
    public abstract void sleep(int rank, int bell, long nanos) throws InterruptedException;

    /// Withdraws the announcement, after the sleep.
    public final void rise(int rank) {
        segment.addSleepers(rank, -1);
    }

    /// Wakes `rank` if it sleeps. The caller has already published the data or signal.
    public final void ring(int rank) {
        VarHandle.fullFence();
        ringAfterFence(rank);
    }

    /// Like [#ring], but the caller has executed a full fence. One fence suffices to wake several ranks.
    public final void ringAfterFence(int rank) {
        if (segment.sleepers(rank) != 0) {
            segment.changeBell(rank);
            wake(rank);
        }
    }

    abstract void wake(int rank);

    private static final class PlatformBells extends Bells {
        private final Segment segment;
        private final OsPlatform platform;

        PlatformBells(Segment segment, OsPlatform platform) {
            super(segment);
            this.segment = segment;
            this.platform = platform;
            recordWhetherWakes();
        }

        private void recordWhetherWakes() {
            if (!platform.canWake() && !segment.isPollingRequired()) segment.requirePolling();
        }

        @Override
        public boolean canSleep() {
            return platform.canSleep() && !segment.isPollingRequired();
        }

        @Override
        public void sleep(int rank, int bell, long nanos) {
            platform.sleep(segment.memory().segment(), segment.bellOffset(rank), bell, nanos);
            recordWhetherWakes();
        }

        @Override
        void wake(int rank) {
            platform.wake(segment.memory().segment(), segment.bellOffset(rank));
            recordWhetherWakes();
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
