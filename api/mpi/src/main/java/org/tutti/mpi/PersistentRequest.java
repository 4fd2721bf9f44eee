package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Activity;

/// An operation that was described once, to be started many times: from a `…Init` method. Inactive until
/// [#start]; inactive again when it is complete. MPI 4.1, sections 3.9 and 6.13.
public abstract sealed class PersistentRequest extends Request implements AutoCloseable
        permits PreparedRequest, PartitionedSend, PartitionedReceive {
    final String operation;

    /// What it is called, with the line where it was prepared.
    private final String description;

    /// Where it was closed, as the end of a sentence; null while it is not.
    private @Nullable String closedAt;

    PersistentRequest(Mpi mpi, String operation, Buf shown, Buf into) {
        super(mpi, shown, into);
        this.operation = operation;
        description = operation + "(" + shown() + ")" + UserLine.at();
        mpi.open.prepared(description);
        inactive();
    }

    /// Starts the operation; its buffers belong to the engine until it is complete. Local; returns immediately.
    /// `MPI_Start`, MPI 4.1, section 3.9.
    ///
    /// @throws MpiException `ERR_REQUEST` when it is active or closed; `ERR_COMM` when its communicator was
    ///     closed; `ERR_BUFFER` when a record that is to be sent is null
    public final void start() {
        checkStart();
        Activity started = launch();
        if (started == null) end(Status.nobody());
        else begin(started);
    }

    /// Fills in what may have changed since the last time and starts it; null when there is nothing to do.
    @Nullable
    abstract Activity launch();

    /// Called once, when the request is closed; frees what only this request uses.
    void closed() {}

    /// Throws when it may not be started now.
    final void checkStart() {
        mpi.engine(operation);
        if (closedAt != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST, operation, "start of a request that was closed" + closedAt, mpi.where());
        }
        if (!isFinished()) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST,
                    operation,
                    "start of a request that is active; await it first",
                    mpi.where());
        }
    }

    /// The activity is this request's for ever.
    @Override
    void release(Activity a) {}

    /// Gives the request back; it cannot be started again. Local. `MPI_Request_free` of an inactive request,
    /// MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException `ERR_PENDING` when it is active; what it failed with, when nobody was told yet
    @Override
    public final void close() {
        if (look()) {
            if (closedAt == null) {
                closedAt = UserLine.at();
                mpi.open.closed(description);
                closed();
            }
            boolean untold = isOpen();
            Throwable why = tell();
            if (untold && why != null) throw MpiException.unchecked(why);
            return;
        }
        throw MpiException.argument(
                ErrorClass.ERR_PENDING, operation, "close of a request that is active; await it first", mpi.where());
    }
}
