package org.tutti.mpi;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// The request of a communicator under creation. It can be awaited together with any other [Request]. MPI 4.1,
/// section 7.4.2.
public final class CommRequest<C extends Communicator> extends Request {
    private final Function<CommPort, C> maker;
    private @Nullable C made;

    /// Creates the request of `dup`, which has been started.
    CommRequest(Mpi mpi, Collective dup, Function<CommPort, C> maker) {
        super(mpi, Buf.NONE, Buf.NONE, dup);
        this.maker = maker;
    }

    /// Waits until the request is complete, and returns the communicator, which the caller closes. A second
    /// call returns the same communicator. Blocking. MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException the failure of the operation, `ERR_PROC_FAILED` or `ERR_MISMATCH`
    public C awaitComm() {
        await();
        C c = made;
        if (c == null) throw new IllegalStateException("a complete request without a communicator");
        return c;
    }

    @Override
    void release(Activity a) {
        if (a.failure() == null) {
            try {
                made = maker.apply(mpi.engine(a.operation).finishDup((Collective) a));
            } catch (RuntimeException | Error e) { // for example, the Mpi has been closed
                fail(e);
            }
        }
        super.release(a);
    }

    @Override
    String shown() {
        return "";
    }
}
