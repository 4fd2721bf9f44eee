package org.tutti.libmpi;

import java.util.concurrent.locks.LockSupport;

/// The pauses of a waiting thread between two calls into the library.
///
/// The thread is never woken, so it sleeps for 50 µs, increasing to 2 ms: an idle rank costs 2 to 4 % of a
/// core, and a message is delayed by at most an eighth of the wait. But the library moves large messages only
/// while sender and receiver are calling it: with sleeps, 3 GiB over Open MPI's shared memory took minutes. The
/// wait for a large message is therefore busy for as long as the message would take at 100 MB/s; afterwards, a
/// short busy time follows every sleep.
///
/// While the rank sleeps, the library also does not accept messages for which no receive has been posted yet.
/// In one case, half a million messages arrived while the rank slept, and the sender was delayed for 40 s. A
/// call is longer if it accepts messages. Therefore, if each rank has a core, the thread yields instead of
/// sleeping after a long call. The first call after a sleep is always long, because of cold caches; only a
/// second long call in a row shows that messages are arriving, and resets the duration of sleeps to the
/// shortest. If ranks share cores, libraries yield in each call, so the duration of a call is meaningless.
final class LibraryIdleStrategy {
    private static final long FIRST_SLEEP_NANOS = 50_000;
    private static final long LONGEST_SLEEP_NANOS = 2_000_000;
    private static final long LONGEST_SHORT_SLEEP_NANOS = 100_000;
    private static final int VIRTUAL_SHORT_SLEEPS = 50;
    private static final long VIRTUAL_SHORT_SLEEP_NANOS = 20_000;

    /// A message of more bytes than this is large: libraries do not send it in one piece.
    private static final long LARGE_BYTES = 4096;

    private static final long BUSY_NANOS_PER_BYTE = 10;
    private static final long BUSY_AFTER_SLEEP_NANOS = 100_000;
    private static final long LONG_CALL_NANOS = 2_000;

    private volatile long longestSleepNanos = LONGEST_SLEEP_NANOS;
    private final boolean crowded;
    private final int spins;
    private final int yields;

    /// @param crowded whether there are more ranks than cores: spinning would then prevent the awaited rank
    ///     from running
    LibraryIdleStrategy(boolean crowded) {
        this.crowded = crowded;
        spins = crowded ? 0 : 1_000;
        yields = crowded ? 200 : 1_000;
    }

    /// Limits sleeps, because other ranks need this rank's calls into the library.
    void limitSleeps() {
        longestSleepNanos = LONGEST_SHORT_SLEEP_NANOS;
    }

    void begin(NativeScratch s) {
        s.sleepNanos = FIRST_SLEEP_NANOS;
        s.busyUntil = 0;
        s.callStartNanos = 0;
        s.longCalls = 0;
    }

    /// Pauses in round `round` of this wait. `bytes` is the size of the awaited message, or 0 if the wait is
    /// not for a message. An interrupt does not end the wait; [#end] sets the thread's interrupt status again.
    void pause(NativeScratch s, int round, long bytes) {
        if (Thread.interrupted()) s.interrupted = true; // otherwise parking would return immediately
        boolean virtual = Thread.currentThread().isVirtual();
        if (virtual && round < VIRTUAL_SHORT_SLEEPS) {
            LockSupport.parkNanos(this, VIRTUAL_SHORT_SLEEP_NANOS);
            return;
        }
        if (!virtual && round < spins) return; // the call into the library was a sufficient pause
        if (!virtual && round < spins + yields) {
            Thread.yield();
            return;
        }
        if (bytes > LARGE_BYTES && isBusy(s, bytes)) {
            if (virtual) {
                LockSupport.parkNanos(this, VIRTUAL_SHORT_SLEEP_NANOS);
            } else {
                Thread.yield();
            }
            return;
        }
        if (hasAcceptedMessages(s)) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, s.sleepNanos);
            s.sleepNanos = Math.min(s.sleepNanos + s.sleepNanos / 8, longestSleepNanos);
            if (bytes > LARGE_BYTES) s.busyUntil = System.nanoTime() + BUSY_AFTER_SLEEP_NANOS;
        }
        if (!crowded) s.callStartNanos = System.nanoTime();
    }

    /// Returns whether the call since the last pause seems to have accepted messages.
    private static boolean hasAcceptedMessages(NativeScratch s) {
        if (s.callStartNanos == 0 || System.nanoTime() - s.callStartNanos < LONG_CALL_NANOS) {
            s.longCalls = 0;
            return false;
        }
        if (++s.longCalls > 1) s.sleepNanos = FIRST_SLEEP_NANOS;
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
