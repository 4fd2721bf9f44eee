package org.tutti.device;

import org.jspecify.annotations.Nullable;

/// The driver's number of a stream or an event. Threads wait for it in the driver without the device's lock, so it is
/// released when the last of them has returned. Guarded by that lock.
final class DriverHandle {
    private final long value;
    private int waiters;

    /// What the last waiter calls; null while the handle is open, and after the release.
    private @Nullable Runnable release;

    DriverHandle(long value) {
        this.value = value;
    }

    long value() {
        return value;
    }

    void enter() {
        waiters++;
    }

    void leave() {
        waiters--;
        Runnable last = release;
        if (waiters > 0 || last == null) return;
        release = null;
        last.run();
    }

    /// Calls `action` now, or when no thread waits any more.
    void release(Runnable action) {
        if (waiters == 0) action.run();
        else release = action;
    }
}
