package org.tutti.e2e.job;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/// When a test takes what it waits for for something that hangs: after so long on an idle machine, and on a
/// busy one
/// so many times longer as more threads want to run than there are cores. Only what hangs takes all of it.
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

    /// Waits for its end; false when that does not come within the limit.
    public boolean awaitEnd(Process process) throws InterruptedException {
        while (!process.waitFor(1, TimeUnit.SECONDS)) if (isOver()) return false;
        return true;
    }

    @Override
    public String toString() {
        return seconds + " s, more on a busy machine";
    }
}
