package org.tutti.futures;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;

/// What all workers run together, with a communicator of them: see [RankPool#callOnAll]. It travels as
/// a [RankFunction] does.
///
/// @param <T> of the argument, a value
/// @param <R> of the result, a value
@FunctionalInterface
public interface CommFunction<T extends @Nullable Object, R extends @Nullable Object> extends Serializable {
    R apply(Comm workers, T argument) throws Exception;
}
