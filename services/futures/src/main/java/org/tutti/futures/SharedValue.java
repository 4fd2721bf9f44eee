package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// A value, sent to each worker once, when a task first captures it. Created by [RankPool#share].
///
///     try (SharedValue<double[]> table = pool.share(numbers)) {
///         pool.map(q -> table.get()[q], queries).toList();
///     }
///
/// It can only be captured by a lambda, not sent as an argument or a result. The value must not change before
/// [#close].
///
/// @param <T> type of the value
public final class SharedValue<T> implements AutoCloseable {
    private final long id;
    private final @Nullable Dispatcher dispatcher;
    private volatile @Nullable T value;

    /// @param dispatcher null on a worker
    SharedValue(long id, @Nullable Dispatcher dispatcher, @Nullable T value) {
        this.id = id;
        this.dispatcher = dispatcher;
        this.value = value;
    }

    long id() {
        return id;
    }

    /// Returns the value, or this worker's copy. Tasks must not change it. Local.
    ///
    /// @throws IllegalStateException after [#close]
    public T get() {
        T known = value;
        if (known == null) throw new IllegalStateException("get: the shared value was closed");
        return known;
    }

    void forget() {
        value = null;
    }

    /// Removes the value from the workers after all earlier tasks. Later tasks that capture it are refused. A
    /// second call has no effect. Local.
    @Override
    public void close() {
        if (value == null || dispatcher == null) return;
        forget();
        dispatcher.unshare(this);
    }
}
