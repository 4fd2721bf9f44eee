package org.tutti.coll.window;

import org.tutti.spi.Access;

/// What makes an access atomic at its target: one lock for each target of a window, held for one access.
public interface AccumulateLock {
    /// Takes the lock of the access's target; waits until it is there.
    void acquire(Access access);

    /// Gives it back.
    void release(Access access);
}
