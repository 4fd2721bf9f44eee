package org.tutti.mpi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Activity;

/// An operation that was described once, to be started many times: from a `…Init` method. Inactive until
/// [#start]; inactive again when it is complete. MPI 4.1, sections 3.9 and 6.13.
public final class PersistentRequest extends Request implements AutoCloseable {
    private final String operation;

    /// Fills in what may have changed since the last time and starts it; null when there is nothing to do.
    private final Supplier<@Nullable Activity> starter;

    PersistentRequest(Mpi mpi, String operation, Buf shown, Buf into, Supplier<@Nullable Activity> starter) {
        super(mpi, shown, into);
        this.operation = operation;
        this.starter = starter;
        end(Status.nobody());
    }

    /// Starts the operation; its buffers belong to the engine until it is complete.
    ///
    /// @throws MpiException `ERR_REQUEST` when it is active
    public void start() {
        mpi.engine(operation);
        if (!isFinished()) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST,
                    operation,
                    "start of a request that is active; await it first",
                    mpi.where());
        }
        Activity started = starter.get();
        if (started == null) end(Status.nobody());
        else begin(started);
    }

    /// The activity is this request's for ever.
    @Override
    void release(Activity a) {}

    /// Gives it back.
    ///
    /// @throws MpiException `ERR_PENDING` when it is active
    @Override
    public void close() {
        if (isFinished() || test()) return;
        throw MpiException.argument(
                ErrorClass.ERR_PENDING, operation, "close of a request that is active; await it first", mpi.where());
    }
}
