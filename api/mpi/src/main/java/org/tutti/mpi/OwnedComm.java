package org.tutti.mpi;

import org.tutti.spi.CommPort;

/// A communicator that the program created, by `split`, `dup` or `create`, and must close.
public sealed class OwnedComm extends Comm implements AutoCloseable permits Topology {
    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
        created();
    }

    /// Frees the communicator and the buffer that is attached to it, after passing its attributes to the
    /// deleters of their keys. Messages on it must have been received. A communicator that is never closed is
    /// freed with its `Mpi`, which reports it. A second call has no effect. Local. `MPI_Comm_free`, MPI 4.1,
    /// section 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public final void close() {
        closeHandle();
    }

    /// Waits until all ranks of the communicator call it, then closes the communicator: from then on the ranks
    /// are connected only by other communicators. Spawned ranks and the ranks that spawned them fail together
    /// while they are connected, and separately afterwards. Requests on it must be complete. Collective,
    /// blocking. `MPI_Comm_disconnect`, MPI 4.1, section 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` if it is closed
    public final void disconnect() {
        disconnectHandle();
    }
}
