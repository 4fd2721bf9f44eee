package org.tutti.mpi;

import org.tutti.spi.CommPort;

/// A communicator that the program made, by `split`, `dup` or `create`, and therefore closes.
public sealed class OwnedComm extends Comm implements AutoCloseable permits Topology {
    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
        created();
    }

    /// Gives the communicator back, after its attributes went to their keys' deleters, and a buffer that is
    /// attached to it. Messages under way on it must have been received. One that is never closed goes with
    /// its `Mpi`, which says so. A second call does nothing. Local. `MPI_Comm_free`, MPI 4.1, section 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public final void close() {
        closeHandle();
    }

    /// Waits until all ranks of the communicator call it, then closes it: afterwards they are connected only by
    /// what else connects them. Ranks that were spawned and those that have spawned them fail together while they
    /// are connected, and alone afterwards. Requests on it must be complete. Collective,
    /// blocking. `MPI_Comm_disconnect`, MPI 4.1, section 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` when it is closed
    public final void disconnect() {
        disconnectHandle();
    }
}
