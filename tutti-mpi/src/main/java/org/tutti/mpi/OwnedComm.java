package org.tutti.mpi;

import org.tutti.mpi.spi.CommPort;

/// A communicator that the program made, by `split` or `dup`, and therefore closes.
public final class OwnedComm extends Comm implements AutoCloseable {
    private volatile boolean closed;

    OwnedComm(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Gives the communicator back. Local; messages under way on it must have been received. MPI 4.1, section
    /// 7.4.3.
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        // what a rank without a part got is no engine's
        if (size() > 0) mpi.engine("close").free(port);
    }

    @Override
    void checkOpen(String operation) {
        if (closed) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM, operation, "the communicator " + name() + " was closed", port);
        }
    }
}
