package org.tutti.e2e.job;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/// The time after which a test assumes that a process hangs. On a busy machine the limit is multiplied by the
/// number of runnable threads per core. Only a hang takes the full time.
public final class HangLimit {
    private static final double MOST_TIMES = 10;

    private final long seconds;
    private final long start = System.nanoTime();

    public HangLimit(long seconds) {
        this.seconds = seconds;
    }

    public boolean isOver() {
        return System.nanoTime() - start > TimeUnit.SECONDS.toNanos(seconds) * busyness();
    }

    private static double busyness() {
        double wanting = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return Math.clamp(wanting / Runtime.getRuntime().availableProcessors(), 1, MOST_TIMES);
    }

    /// Waits until the process ends. Returns false if the process is alive after the limit.
    public boolean awaitEnd(Process process) throws InterruptedException {
        while (!process.waitFor(1, TimeUnit.SECONDS)) if (isOver()) return false;
        return true;
    }

    @Override
    public String toString() {
        return seconds + " s, more on a busy machine";
    }
}
