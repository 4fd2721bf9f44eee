package org.tutti.mpi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;

/// A message or a collective call that can be started repeatedly.
final class PreparedRequest extends PersistentRequest {
    private final Supplier<@Nullable Activity> starter;

    /// The separate communicator of a collective request; null for the request of a message, which uses the
    /// communicator on which the request was prepared.
    private final @Nullable CommPort context;

    /// @param immediate the status if `starter` returns null
    PreparedRequest(
            Mpi mpi,
            String operation,
            Buf shown,
            Buf into,
            @Nullable CommPort context,
            Status immediate,
            Supplier<@Nullable Activity> starter) {
        super(mpi, operation, shown, into, immediate);
        this.context = context;
        this.starter = starter;
    }

    @Override
    void closed() {
        // Mpi.close has already freed all communicators
        if (context != null && !mpi.isClosed()) mpi.engine(operation).free(context);
    }

    @Override
    @Nullable
    Activity launch() {
        return starter.get();
    }
}
