package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.process.StackSnapshot;

/// The lifetime of a communicator that the program closes: where it was created, and where it was closed.
final class CommLifetime {
    final CommAccessors comm;
    final StackSnapshot createdAt = new StackSnapshot();

    /// Null while the communicator is open.
    private volatile @Nullable StackSnapshot closedAt;

    CommLifetime(CommAccessors comm) {
        this.comm = comm;
        comm.mpi.open.made(this);
    }

    boolean isClosed() {
        return closedAt != null;
    }

    void close() {
        if (closedAt != null) return;
        try {
            comm.deleteAttributes();
        } finally {
            closedAt = new StackSnapshot();
            comm.mpi.open.closed(this);
            comm.buffers.close();
            // the engine does not know a communicator without ranks
            if (comm.size() > 0) comm.mpi.engine("close").free(comm.port);
            comm.mpi.released();
        }
    }

    void disconnect() {
        if (comm.size() > 0) {
            comm.begin("disconnect");
            comm.barrier();
        }
        close();
    }

    void checkOpen(String operation) {
        StackSnapshot closed = closedAt;
        if (closed == null) return;
        throw MpiException.argument(
                ErrorClass.ERR_COMM,
                operation,
                "the communicator " + comm.name() + " was closed" + closed.at(),
                comm.port);
    }
}
