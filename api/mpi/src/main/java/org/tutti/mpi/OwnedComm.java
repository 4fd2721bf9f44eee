package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.process.StackSnapshot;
import org.tutti.spi.CommPort;

/// A communicator that the program made, by `split`, `dup` or `create`, and therefore closes.
public sealed class OwnedComm extends Comm implements AutoCloseable permits Intercomm, Topology {
    /// Where it was closed; null while it is open.
    private volatile @Nullable StackSnapshot closedAt;

    /// Where it was made.
    final StackSnapshot madeAt = new StackSnapshot();

    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
        mpi.open.made(this);
    }

    final boolean isClosed() {
        return closedAt != null;
    }

    /// Gives the communicator back, after its attributes went to their keys' deleters, and a buffer that is
    /// attached to it. Messages under way on it must have been received. One that is never closed goes with
    /// its `Mpi`, which says so. A second call does nothing. Local. `MPI_Comm_free`, MPI 4.1, section 7.4.3.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public final void close() {
        if (closedAt != null) return;
        try {
            deleteAttributes();
        } finally {
            closedAt = new StackSnapshot();
            mpi.open.closed(this);
            buffers.close();
            // what a rank without a part got is no engine's
            if (size() > 0) mpi.engine("close").free(port);
            mpi.released();
        }
    }

    /// Waits until all ranks of the communicator call it, then closes it: afterwards they are connected only by
    /// what else connects them. Ranks that were spawned and those that have spawned them fail together while they
    /// are connected, and alone afterwards. Requests on it must be complete. Collective, on an [Intercomm] over
    /// both groups, blocking. `MPI_Comm_disconnect`, MPI 4.1, section 11.10.4.
    ///
    /// @throws MpiException `ERR_COMM` when it is closed
    public final void disconnect() {
        if (size() > 0) {
            begin("disconnect");
            barrier();
        }
        close();
    }

    @Override
    final void checkOpen(String operation) {
        StackSnapshot closed = closedAt;
        if (closed != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM, operation, "the communicator " + name() + " was closed" + closed.at(), port);
        }
    }
}
