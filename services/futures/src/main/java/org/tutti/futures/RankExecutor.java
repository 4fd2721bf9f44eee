package org.tutti.futures;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A pool as an `ExecutorService`, for code that requires one. Returned by [Tasks#asExecutorService].
///
///     ExecutorService ranks = pool.asExecutorService();
///     Future<Integer> f = ranks.submit((RankCallable<Integer>) () -> 42);
///
/// A lambda passed directly to [#submit(RankCallable)] of this class needs no cast. Any other `Callable` or
/// `Runnable` exists only in this process and is refused immediately with a `RejectedExecutionException` caused
/// by a [TaskRefusedException]. This includes the wrappers of `CompletableFuture` and
/// `ExecutorCompletionService`; use [RankFuture] and [RankPool#completionService] instead.
///
/// A shutdown of this executor does not end the pool: other tasks continue, and new executors can be created.
public final class RankExecutor implements ExecutorService {
    private final Tasks tasks;

    /// Futures that have not ended. Guarded by `this`, like all fields below.
    private final Set<RankFuture<?>> running = new HashSet<>();

    private boolean down;

    /// Whether `shutdownNow` was called, so that a concurrent submit cancels the task.
    private boolean downNow;

    /// The number of calls of submit in progress that have not yet added the task to `running`.
    private int giving;

    RankExecutor(Tasks tasks) {
        this.tasks = tasks;
    }

    /// Submits a task and returns the future. See [Tasks#submit(RankCallable)].
    ///
    /// @throws TaskRefusedException as [Tasks#submit(RankCallable)]
    /// @throws RejectedExecutionException after [#shutdown]
    public <R extends @Nullable Object> RankFuture<R> submit(RankCallable<R> task) {
        return begin(task, null);
    }

    private <R extends @Nullable Object> RankFuture<R> begin(
            RankCallable<R> task, @Nullable LinkedBlockingQueue<RankFuture<R>> ended) {
        RankFuture<R> future;
        synchronized (this) {
            if (down) throw new RejectedExecutionException("submit: the executor was shut down");
            giving++;
        }
        try {
            future = tasks.submit(Objects.requireNonNull(task, "submit: the task is null"), ended);
        } catch (RuntimeException | Error e) {
            hasGiven(null);
            throw e;
        }
        boolean isWanted = hasGiven(future);
        future.whenComplete((_, _) -> hasFinished(future));
        if (!isWanted) future.cancel(true);
        return future;
    }

    /// Ends a submit. Returns false if the task must be cancelled.
    private synchronized boolean hasGiven(@Nullable RankFuture<?> future) {
        giving--;
        if (future != null) running.add(future);
        notifyAll();
        return !downNow;
    }

    private synchronized void hasFinished(RankFuture<?> future) {
        running.remove(future);
        notifyAll();
    }

    private static <R extends @Nullable Object> RankCallable<R> named(Callable<R> task, String operation) {
        if (Objects.requireNonNull(task, operation + ": the task is null") instanceof RankCallable<R> named)
            return named;
        throw refused(task, operation);
    }

    private static RejectedExecutionException refused(Object task, String operation) {
        TaskRefusedException why = CallSites.refused(
                operation,
                "a " + (task instanceof Callable<?> ? "Callable" : "Runnable")
                        + " of this process, which other ranks cannot resolve; pass a RankCallable, as in"
                        + " submit((RankCallable<Integer>) () -> 42)");
        return new RejectedExecutionException(why.getMessage(), why);
    }

    /// As [#submit(RankCallable)], if the task is a `RankCallable`.
    ///
    /// @throws RejectedExecutionException if the task is not a `RankCallable`, and after [#shutdown]
    @Override
    public <R extends @Nullable Object> RankFuture<R> submit(Callable<R> task) {
        return submit(named(task, "submit"));
    }

    /// Refuses the task: see [RankExecutor].
    @Override
    public <R extends @Nullable Object> Future<R> submit(Runnable task, R result) {
        throw refused(task, "submit");
    }

    /// Refuses the task: see [RankExecutor].
    @Override
    public Future<?> submit(Runnable task) {
        throw refused(task, "submit");
    }

    /// Refuses the task: see [RankExecutor].
    @Override
    public void execute(Runnable task) {
        throw refused(task, "execute");
    }

    @Override
    public <R extends @Nullable Object> List<Future<R>> invokeAll(Collection<? extends Callable<R>> all)
            throws InterruptedException {
        return invokeAll(all, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    public <R extends @Nullable Object> List<Future<R>> invokeAll(
            Collection<? extends Callable<R>> all, long timeout, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(timeout);
        List<RankCallable<R>> named = new ArrayList<>();
        for (Callable<R> task : all) named.add(named(task, "invokeAll"));
        List<Future<R>> futures = new ArrayList<>();
        try {
            for (RankCallable<R> task : named) futures.add(submit(task));
            for (Future<R> future : futures) awaitEnd(future, end - System.nanoTime());
        } catch (TimeoutException e) {
            // tasks that have not ended by now are cancelled below
        } finally {
            for (Future<R> future : futures) future.cancel(true); // no effect on completed tasks
        }
        return futures;
    }

    private static void awaitEnd(Future<?> future, long nanos) throws InterruptedException, TimeoutException {
        try {
            future.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            // the future stores it
        }
    }

    @Override
    public <R extends @Nullable Object> R invokeAny(Collection<? extends Callable<R>> all)
            throws InterruptedException, ExecutionException {
        try {
            return invokeAny(all, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(e); // the limit is 292 years
        }
    }

    @Override
    public <R extends @Nullable Object> R invokeAny(Collection<? extends Callable<R>> all, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (all.isEmpty()) throw new IllegalArgumentException("invokeAny: without tasks there can be no result");
        long end = System.nanoTime() + unit.toNanos(timeout);
        List<RankCallable<R>> named = new ArrayList<>();
        for (Callable<R> task : all) named.add(named(task, "invokeAny"));
        LinkedBlockingQueue<RankFuture<R>> ended = new LinkedBlockingQueue<>();
        List<RankFuture<R>> futures = new ArrayList<>();
        try {
            for (RankCallable<R> task : named) futures.add(begin(task, ended));
            for (int left = futures.size(); ; ) {
                RankFuture<R> first = ended.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (first == null) throw new TimeoutException("invokeAny: no task has succeeded within the time limit");
                try {
                    return first.get();
                } catch (ExecutionException e) {
                    if (--left == 0) throw e;
                }
            }
        } finally {
            for (RankFuture<R> future : futures) future.cancel(true);
        }
    }

    /// Accepts no more tasks. Submitted tasks run to completion. Local.
    @Override
    public synchronized void shutdown() {
        down = true;
        notifyAll();
    }

    /// Accepts no more tasks and cancels the submitted tasks: running tasks are interrupted, the remaining
    /// tasks do not begin. Returns an empty list, since a task is not a `Runnable`. Local.
    @Override
    public List<Runnable> shutdownNow() {
        List<RankFuture<?>> all;
        synchronized (this) {
            shutdown();
            downNow = true;
            all = List.copyOf(running);
        }
        for (RankFuture<?> future : all) future.cancel(true);
        return List.of();
    }

    @Override
    public synchronized boolean isShutdown() {
        return down;
    }

    @Override
    public synchronized boolean isTerminated() {
        return down && giving == 0 && running.isEmpty();
    }

    @Override
    public synchronized boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(timeout);
        while (!isTerminated()) {
            long left = end - System.nanoTime();
            if (left <= 0) return false;
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }
}
