package org.tutti.mpi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;

/// A message or a collective call that is started again and again as it was described.
final class PreparedRequest extends PersistentRequest {
    private final Supplier<@Nullable Activity> starter;

    PreparedRequest(Mpi mpi, String operation, Buf shown, Buf into, Supplier<@Nullable Activity> starter) {
        super(mpi, operation, shown, into);
        this.starter = starter;
    }

    @Override
    @Nullable
    Activity launch() {
        return starter.get();
    }
}
