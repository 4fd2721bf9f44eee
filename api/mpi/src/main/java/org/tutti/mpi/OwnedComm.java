package org.tutti.mpi;

import org.tutti.spi.CommPort;

/// A communicator that the program created, by `split`, `dup` or `create`, and must close.
public sealed class OwnedComm extends Comm implements AutoCloseable permits Topology {
    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
        created();
    }

    /// Frees the communicator and the attached buffer, after passing the attributes to the deleters of the
    /// keys. All messages must have been received. Closing the `Mpi` frees and reports communicators that were
    /// never closed. A second call has no effect. Local. `MPI_Comm_free`, MPI 4.1, section 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public final void close() {
        closeHandle();
    }

    /// Waits until all ranks of the communicator call it, then closes the communicator: from then on only other
    /// communicators connect the ranks. Spawned ranks and parents fail together while connected, and separately
    /// afterwards. All requests must be complete. Collective, blocking. `MPI_Comm_disconnect`, MPI 4.1, section
    /// 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` if it is closed
    public final void disconnect() {
        disconnectHandle();
    }
}
