package org.tutti.futures;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// A function that other ranks can run: a lambda or a method reference of the program, or a record that
/// implements this interface. Captured variables are sent with the function, and must be values that
/// [org.tutti.mpi.Comm#sendObject] can send.
///
/// @param <T> type of the argument, a value
/// @param <R> type of the result, a value
@FunctionalInterface
public interface RankFunction<T extends @Nullable Object, R extends @Nullable Object> extends Serializable {
    R apply(T argument) throws Exception;
}
