package org.tutti.device;

import org.jspecify.annotations.Nullable;

/// A driver's handle of a stream or an event. Threads wait in the driver without the device's lock, so the
/// handle is released after the last waiting thread has returned. Guarded by the device's lock.
final class DriverHandle {
    private final long value;
    private int waiters;

    /// The action that the last waiting thread executes; null while the handle is open, and after the release.
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

    /// Calls `action` now, or when the last waiting thread has returned.
    void release(Runnable action) {
        if (waiters == 0) action.run();
        else release = action;
    }
}
