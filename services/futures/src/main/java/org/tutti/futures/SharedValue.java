package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// A value that goes to each worker once, when a task first captures it: from [RankPool#share].
///
///     try (SharedValue<double[]> table = pool.share(numbers)) {
///         pool.map(q -> table.get()[q], queries).toList();
///     }
///
/// It travels where a lambda captures it, and nowhere else. The value must not change before [#close].
///
/// @param <T> of the value
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

    /// Returns the value, or this worker's copy of it. Tasks must not change it. Local.
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

    /// Lets workers forget the value, once they have done what they were given before; tasks that name
    /// it are refused from now on. A second call does nothing. Local.
    @Override
    public void close() {
        if (value == null || dispatcher == null) return;
        forget();
        dispatcher.unshare(this);
    }
}
