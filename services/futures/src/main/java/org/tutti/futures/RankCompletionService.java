package org.tutti.futures;

import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// Tasks with the same result type; futures are returned in order of completion. Results may become new tasks.
///
///     RankCompletionService<List<Node>> open = pool.completionService();
///     open.submit(n -> expand(n), root);
///     while (open.pending() > 0)
///         for (Node n : open.take().get()) open.submit(m -> expand(m), n);
///
/// Not thread-safe; each thread uses a separate service.
///
/// @param <R> type of the results
public final class RankCompletionService<R extends @Nullable Object> {
    private final Tasks tasks;
    private final LinkedBlockingQueue<RankFuture<R>> ended = new LinkedBlockingQueue<>();
    private long pending;

    RankCompletionService(Tasks tasks) {
        this.tasks = tasks;
    }

    /// As [Tasks#submit(RankFunction, Object)].
    ///
    /// @throws TaskRefusedException as [Tasks#submit(RankFunction, Object)]
    public <T extends @Nullable Object> RankFuture<R> submit(RankFunction<T, R> function, T argument) {
        RankFuture<R> future = tasks.submit(function, argument, ended, null);
        pending++;
        return future;
    }

    /// Returns the number of futures that have not been taken. Local.
    public long pending() {
        return pending;
    }

    /// Returns the future of a task that has ended, normally or with a failure; waits if necessary. Blocking.
    ///
    /// @throws IllegalStateException if all futures have been taken
    public RankFuture<R> take() throws InterruptedException {
        if (pending == 0)
            throw new IllegalStateException("take: pending()=0, so no task can complete; submit a task first");
        RankFuture<R> future = ended.take();
        pending--;
        return future;
    }

    /// As [#take], but returns null if no task has ended. Never waits. Local.
    public @Nullable RankFuture<R> poll() {
        RankFuture<R> future = ended.poll();
        if (future != null) pending--;
        return future;
    }
}
