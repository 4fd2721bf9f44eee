package org.tutti.libmpi;

import org.tutti.coll.window.AccumulateLock;
import org.tutti.spi.CommPort;

/// Memory of ranks that is accessed through a window of the library. Its lock is for what the library does not make
/// atomic.
interface RemoteMemory extends AccumulateLock {
    CommPort port();

    /// The library's window.
    long handle();

    /// The displacement in it from which on a rank's memory lies.
    long place(int rank);

    /// Throws what an error code of the library says.
    void check(int rc);
}
