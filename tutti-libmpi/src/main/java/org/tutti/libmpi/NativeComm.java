package org.tutti.libmpi;

import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.mpi.spi.CommPort;

/// A communicator of the library, and its shadow: the same group in a context that no user's message is in.
final class NativeComm extends CommPort {
    final long handle;
    final long shadow;

    /// Numbers the objects sent from here, so that their rests cannot be taken for each other.
    final AtomicInteger objects = new AtomicInteger();

    NativeComm(int rank, int size, String name, long handle, long shadow) {
        super(rank, size, name);
        this.handle = handle;
        this.shadow = shadow;
    }

    @Override
    public int worldRank(int rank) {
        throw new UnsupportedOperationException();
    }
}
