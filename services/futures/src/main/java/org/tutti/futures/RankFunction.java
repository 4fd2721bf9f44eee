package org.tutti.futures;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// A function that another rank can run: a lambda or a method reference of the program, or a record that
/// implements this. What a lambda captures travels with it and is a value, as what
/// [org.tutti.mpi.Comm#sendObject] sends.
///
/// @param <T> of the argument, a value
/// @param <R> of the result, a value
@FunctionalInterface
public interface RankFunction<T extends @Nullable Object, R extends @Nullable Object> extends Serializable {
    R apply(T argument) throws Exception;
}
