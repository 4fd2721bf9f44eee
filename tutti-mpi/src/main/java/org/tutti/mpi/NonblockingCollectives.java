package org.tutti.mpi;

import org.tutti.mpi.spi.CommPort;

/// The page of [Comm] with nonblocking and persistent collective operations. MPI 4.1, sections 6.12 and 6.13.
abstract sealed class NonblockingCollectives extends BlockingCollectives permits Comm {
    NonblockingCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
    }
}
