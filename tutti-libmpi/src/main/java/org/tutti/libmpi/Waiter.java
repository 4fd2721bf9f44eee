package org.tutti.libmpi;

import java.util.concurrent.locks.LockSupport;
import org.tutti.mpi.spi.Idle;

/// How a thread passes the time between two looks into the library: nobody wakes it, so its naps grow, from
/// 50 µs to 1 ms, and an idle rank costs a percent of a core.
final class Waiter {
    private static final long FIRST_NAP_NANOS = 50_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;
    private static final int VIRTUAL_SHORT_NAPS = 50;

    private final Idle idle;

    Waiter(Idle idle) {
        this.idle = idle;
    }

    void begin(Scratch s) {
        s.napNanos = FIRST_NAP_NANOS;
    }

    /// Passes a moment, the `round`-th of this wait. An interrupt does not end the wait; [#end] restores it.
    void pause(Scratch s, int round) {
        if (Thread.interrupted()) s.interrupted = true; // or parking would return at once
        boolean nap = round >= VIRTUAL_SHORT_NAPS && Thread.currentThread().isVirtual() || idle.pause(round);
        if (!nap) return;
        LockSupport.parkNanos(this, s.napNanos);
        s.napNanos = Math.min(s.napNanos + s.napNanos / 8, LONGEST_NAP_NANOS);
    }

    void end(Scratch s) {
        if (s.interrupted) {
            s.interrupted = false;
            Thread.currentThread().interrupt();
        }
    }
}
