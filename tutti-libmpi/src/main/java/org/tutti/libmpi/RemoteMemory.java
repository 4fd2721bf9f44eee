package org.tutti.libmpi;

import org.tutti.spi.Access;
import org.tutti.spi.CommPort;

/// Memory of ranks that is accessed through a window of the library.
interface RemoteMemory {
    CommPort port();

    /// The library's window.
    long handle();

    /// The displacement in it from which on a rank's memory lies.
    long place(int rank);

    /// Throws what an error code of the library says.
    void check(int rc);

    /// Takes the lock that makes accesses atomic which the library does not make, at the access's target.
    void acquire(Access access);

    /// Gives it back.
    void release(Access access);
}
