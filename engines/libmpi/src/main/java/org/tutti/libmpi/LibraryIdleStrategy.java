package org.tutti.libmpi;

import java.util.concurrent.locks.LockSupport;

/// How a thread passes the time between two looks into the library.
///
/// Nobody wakes it, so it naps, from 50 µs growing to 2 ms: an idle rank costs 2 to 4 % of a core, and a
/// message comes at most an eighth of the wait too late. But the library moves large messages only while both
/// sides look: with naps, 3 GiB over Open MPI's shared memory took minutes. So the wait for one is busy for
/// as long as it would take at 100 MB/s, and after that a busy moment follows every nap.
///
/// Nor does it take in messages for later receives meanwhile: a rank that napped while half a million of them came
/// kept their sender waiting for 40 s. A look that took in some lasts longer than one that found nothing. So where
/// each rank has a core, no nap follows a long look, and after two of them (the first after a nap is long by
/// itself, since nothing is in the caches) naps are short again. Where ranks share cores libraries yield in each
/// look, and its length says nothing.
final class LibraryIdleStrategy {
    private static final long FIRST_NAP_NANOS = 50_000;
    private static final long LONGEST_NAP_NANOS = 2_000_000;
    private static final long LONGEST_SHORT_NAP_NANOS = 100_000;
    private static final int VIRTUAL_SHORT_NAPS = 50;
    private static final long VIRTUAL_SHORT_NAP_NANOS = 20_000;

    /// Above what libraries send in one piece.
    private static final long LARGE_BYTES = 4096;

    private static final long BUSY_NANOS_PER_BYTE = 10;
    private static final long BUSY_AFTER_NAP_NANOS = 100_000;
    private static final long LONG_LOOK_NANOS = 2_000;

    private volatile long longestNapNanos = LONGEST_NAP_NANOS;
    private final boolean crowded;
    private final int spins;
    private final int yields;

    /// @param crowded whether ranks outnumber cores: then to spin is to keep the one that is waited for from its
    ///     core
    LibraryIdleStrategy(boolean crowded) {
        this.crowded = crowded;
        spins = crowded ? 0 : 1_000;
        yields = crowded ? 200 : 1_000;
    }

    /// From now on others need this rank's looks.
    void napShortly() {
        longestNapNanos = LONGEST_SHORT_NAP_NANOS;
    }

    void begin(NativeScratch s) {
        s.napNanos = FIRST_NAP_NANOS;
        s.busyUntil = 0;
        s.lookedFrom = 0;
        s.longLooks = 0;
    }

    /// Passes a moment, the `round`-th of this wait, which is for `bytes`. An interrupt does not end the
    /// wait; [#end] restores it.
    void pause(NativeScratch s, int round, long bytes) {
        if (Thread.interrupted()) s.interrupted = true; // or parking would return at once
        boolean virtual = Thread.currentThread().isVirtual();
        if (virtual && round < VIRTUAL_SHORT_NAPS) {
            LockSupport.parkNanos(this, VIRTUAL_SHORT_NAP_NANOS);
            return;
        }
        if (!virtual && round < spins) return; // the look into the library was pause enough
        if (!virtual && round < spins + yields) {
            Thread.yield();
            return;
        }
        if (bytes > LARGE_BYTES && isBusy(s, bytes)) {
            if (virtual) {
                LockSupport.parkNanos(this, VIRTUAL_SHORT_NAP_NANOS);
            } else {
                Thread.yield();
            }
            return;
        }
        if (hasTakenIn(s)) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, s.napNanos);
            s.napNanos = Math.min(s.napNanos + s.napNanos / 8, longestNapNanos);
            if (bytes > LARGE_BYTES) s.busyUntil = System.nanoTime() + BUSY_AFTER_NAP_NANOS;
        }
        if (!crowded) s.lookedFrom = System.nanoTime();
    }

    /// Whether the look since the last pause seems to have taken in something.
    private static boolean hasTakenIn(NativeScratch s) {
        if (s.lookedFrom == 0 || System.nanoTime() - s.lookedFrom < LONG_LOOK_NANOS) {
            s.longLooks = 0;
            return false;
        }
        if (++s.longLooks > 1) s.napNanos = FIRST_NAP_NANOS;
        return true;
    }

    private static boolean isBusy(NativeScratch s, long bytes) {
        long now = System.nanoTime();
        if (s.busyUntil == 0) s.busyUntil = now + bytes * BUSY_NANOS_PER_BYTE;
        return s.busyUntil - now > 0;
    }

    void end(NativeScratch s) {
        if (s.interrupted) {
            s.interrupted = false;
            Thread.currentThread().interrupt();
        }
    }
}
