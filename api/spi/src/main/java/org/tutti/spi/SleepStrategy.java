package org.tutti.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Sleeps during a [LocalWait] whose end does not wake the waiting thread. The first sleep lasts 20 µs, and the
/// duration increases to 1 ms. Interrupts are preserved. An object is for one thread and one wait.
public final class SleepStrategy {
    private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int YIELDS_PER_PARK = 32;

    private long nanos = FIRST_NANOS;
    private boolean interrupted;

    /// Called after an unsuccessful test. A virtual thread yields the carrier, and sometimes sleeps, because a
    /// yield alone does not schedule virtual threads that a platform thread has woken.
    public static void afterVainTest() {
        if (!Thread.currentThread().isVirtual()) return;
        if (ThreadLocalRandom.current().nextInt(YIELDS_PER_PARK) == 0) LockSupport.parkNanos(1);
        else Thread.yield();
    }

    /// Sleeps once.
    public void sleepBriefly() {
        interrupted |= Thread.interrupted(); // otherwise parking would return immediately
        LockSupport.parkNanos(this, nanos);
        nanos = Math.min(nanos + nanos / 64, LONGEST_NANOS);
    }

    /// Called when the wait has ended.
    public void over() {
        if (interrupted) Thread.currentThread().interrupt();
    }
}
