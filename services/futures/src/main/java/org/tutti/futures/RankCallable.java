package org.tutti.futures;

import java.io.Serializable;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// A task that any rank can run, see [RankFunction]. A record that implements this interface is a complete
/// task:
///
///     record Shots(int n) implements RankCallable<Long> {
///         public Long call() { … }
///     }
///
/// @param <R> type of the result, a value
@FunctionalInterface
public interface RankCallable<R extends @Nullable Object> extends Callable<R>, Serializable {}
