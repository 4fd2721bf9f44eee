package org.tutti.futures;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;

/// A function that all workers run together, with a communicator of the workers: see [RankPool#callOnAll]. It
/// is sent like a [RankFunction].
///
/// @param <T> type of the argument, a value
/// @param <R> type of the result, a value
@FunctionalInterface
public interface CommFunction<T extends @Nullable Object, R extends @Nullable Object> extends Serializable {
    R apply(Comm workers, T argument) throws Exception;
}
