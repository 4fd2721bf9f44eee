package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Activity;

/// An operation that an `…Init` method has prepared, and that can be started any number of times. The request
/// is inactive until [#start], and again after completion. MPI 4.1, sections 3.9 and 6.13.
public abstract sealed class PersistentRequest extends Request implements AutoCloseable
        permits PreparedRequest, PartitionedSend, PartitionedReceive {
    final String operation;

    /// The description for error messages, with the source line that prepared the request.
    private final String description;

    /// The source line that closed the request, as the end of a sentence; null while the request is open.
    private @Nullable String closedAt;

    /// The status if the operation is complete at the start.
    private final Status immediate;

    PersistentRequest(Mpi mpi, String operation, Buf shown, Buf into, Status immediate) {
        super(mpi, shown, into);
        this.operation = operation;
        this.immediate = immediate;
        description = operation + "(" + shown() + ")" + UserLine.at();
        mpi.open.prepared(description);
        inactive();
    }

    /// Starts the operation. The engine owns the buffers until the operation is complete. Local; returns
    /// immediately. `MPI_Start`, MPI 4.1, section 3.9.
    ///
    /// @throws MpiException `ERR_REQUEST` if the request is active or closed; `ERR_COMM` if the communicator
    ///     has been closed; `ERR_BUFFER` if a record to be sent is null
    public final void start() {
        checkStart();
        Activity started = launch();
        if (started == null) end(immediate);
        else begin(started);
    }

    /// Updates the activity, starts it, and returns it. Returns null if the operation is complete immediately.
    @Nullable
    abstract Activity launch();

    /// Called once, when the request is closed; frees the resources of this request.
    void closed() {}

    /// Throws if the request must not be started now.
    final void checkStart() {
        mpi.engine(operation);
        if (closedAt != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST, operation, "the request was closed" + closedAt, mpi.where());
        }
        if (!isFinished()) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST,
                    operation,
                    "the request is already active; await it before the next start",
                    mpi.where());
        }
    }

    /// Has no effect, because the next start reuses the activity.
    @Override
    void release(Activity a) {}

    /// Frees the request, which then cannot be started again. Local. `MPI_Request_free` of an inactive request,
    /// MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException `ERR_PENDING` if the request is active; the failure of the request if this failure
    ///     has not been thrown yet
    @Override
    public final void close() {
        if (pollRequest()) {
            if (closedAt == null) {
                closedAt = UserLine.at();
                mpi.open.closed(description);
                closed();
            }
            boolean untold = isOpen();
            Throwable why = takeFailure();
            if (untold && why != null) throw MpiException.unchecked(why);
            return;
        }
        throw MpiException.argument(
                ErrorClass.ERR_PENDING, operation, "the request is active; await it before close", mpi.where());
    }
}
