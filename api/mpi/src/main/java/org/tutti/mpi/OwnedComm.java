package org.tutti.mpi;

import org.tutti.spi.CommPort;

/// A communicator that the program has created, for example by `split`, `dup` or `create`, and that the program
/// must close.
public sealed class OwnedComm extends Comm implements AutoCloseable permits Topology {
    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
        created();
    }

    /// Passes the attributes to the deleters of the keys, and then frees the communicator and the attached
    /// buffer. All messages must have been received. When the `Mpi` is closed, communicators that were never
    /// closed are freed and reported. A second call has no effect. Local. `MPI_Comm_free`, MPI 4.1, section
    /// 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public final void close() {
        closeHandle();
    }

    /// Waits until all ranks of the communicator call this method, and then closes the communicator.
    /// Afterwards, only other communicators, if any exist, connect the ranks. Spawned ranks and parents fail
    /// together while they are connected, and separately afterwards. All requests must be complete. Collective,
    /// blocking. `MPI_Comm_disconnect`, MPI 4.1, section 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed
    public final void disconnect() {
        disconnectHandle();
    }
}
