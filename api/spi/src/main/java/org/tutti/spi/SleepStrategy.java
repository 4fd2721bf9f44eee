package org.tutti.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// How a thread passes a [LocalWait], whose end wakes nobody: in naps, from 20 µs growing to 1 ms. Interrupts
/// are kept for later. For one thread and one wait.
public final class SleepStrategy {
    private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int YIELDS_PER_PARK = 32;

    private long nanos = FIRST_NANOS;
    private boolean interrupted;

    /// After a test that found nothing. A virtual thread lets others run on its carrier: also, now and then, those
    /// that were woken from outside, which a yield alone does not.
    public static void afterVainTest() {
        if (!Thread.currentThread().isVirtual()) return;
        if (ThreadLocalRandom.current().nextInt(YIELDS_PER_PARK) == 0) LockSupport.parkNanos(1);
        else Thread.yield();
    }

    /// Passes a moment.
    public void nap() {
        interrupted |= Thread.interrupted(); // or parking would return at once
        LockSupport.parkNanos(this, nanos);
        nanos = Math.min(nanos + nanos / 64, LONGEST_NANOS);
    }

    /// The wait has ended.
    public void over() {
        if (interrupted) Thread.currentThread().interrupt();
    }
}
