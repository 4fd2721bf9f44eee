package org.tutti.coll.window;

import org.tutti.spi.Access;

/// The lock that makes accesses to a target of a window atomic. A rank holds it for one access.
public interface AccumulateLock {
    /// Acquires the lock of the access's target, waiting if necessary.
    void acquire(Access access);

    /// Releases the lock.
    void release(Access access);
}
