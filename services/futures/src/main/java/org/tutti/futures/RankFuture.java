package org.tutti.futures;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/// The result of a task. [#cancel] reaches the worker: a task that has not started does not begin, a running
/// task is interrupted.
///
/// Dependent stages run on a virtual thread, on a thread that waits in `get` or `join`, or immediately if the
/// result is available. Stages never run on a thread of the pool, and may therefore wait for other tasks. The
/// failure of a task is a [PoolException]: a [TaskFailedException], a [TaskTimeoutException], a
/// [TaskRefusedException], a [WorkerLostException] or a [BrokenPoolException]. The exception is the cause of
/// the `ExecutionException` of `get` and of the `CompletionException` of `join`.
///
/// @param <R> type of the result
public final class RankFuture<R extends @Nullable Object> extends CompletableFuture<R> {
    private static final Executor VIRTUAL = Thread::startVirtualThread;

    /// Time for which a waiting thread polls before it sleeps. A wake-up is slower than a short task.
    private static final long POLL_NANOS = 100_000;

    private static final VarHandle POLLED;

    static {
        try {
            POLLED = MethodHandles.lookup().findVarHandle(RankFuture.class, "isPolled", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Dispatcher dispatcher;
    private final @Nullable BlockingQueue<? super RankFuture<R>> queue;
    private final @Nullable ObjIntConsumer<String> reports;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final TaskBatch batch;

    /// The action that completes the future. Set when the pool has the result, until a thread has run the
    /// action. Running it twice is harmless.
    private volatile @Nullable Runnable completion;

    /// Whether a polling thread will run `completion`, so that no other thread must be started.
    private volatile boolean isPolled;

    /// @param queue receives the future after the task has ended
    /// @param reports receives the reports of the task, and the task's rank
    RankFuture(
            Dispatcher dispatcher,
            PoolJob job,
            long number,
            @Nullable Object argument,
            @Nullable BlockingQueue<? super RankFuture<R>> queue,
            @Nullable ObjIntConsumer<String> reports) {
        this.dispatcher = dispatcher;
        this.queue = queue;
        this.reports = reports;
        batch = new TaskBatch(job, new End(), number, argument);
    }

    TaskBatch batch() {
        return batch;
    }

    /// Receives the result from the pool. Dependent stages run on a different thread, because the pool's thread
    /// serves all other tasks.
    private final class End implements TaskBatch.Sink {
        @Override
        @SuppressWarnings("unchecked") // the function returns this type
        public void done(long task, @Nullable Object value) {
            end(() -> complete((R) value));
        }

        @Override
        public void failed(long task, RuntimeException why) {
            end(() -> completeExceptionally(why));
        }

        @Override
        public void cancelled(long task) {
            end(() -> RankFuture.super.cancel(true));
        }

        @Override
        public void reported(String text, int rank) {
            // reports of a cancelled task may still arrive before it ends, but the caller no longer waits for
            // them
            if (reports == null || isDone()) return;
            try {
                reports.accept(text, rank);
            } catch (RuntimeException | Error e) {
                Thread thread = Thread.currentThread(); // the pool continues, unless the handler exits
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }

        private void end(Runnable completes) {
            // the dispatcher does not count futures of callOnAll, which the caller awaits
            if (batch.job.kind() != Wire.TOGETHER) dispatcher.futureCompleted(batch);
            completion = completes;
            if (!isPolled) VIRTUAL.execute(RankFuture.this::settle);
        }
    }

    private void settle() {
        Runnable own = completion;
        if (own == null) return;
        own.run();
        ended.complete(null);
        completion = null; // the result of a cancelled task is discarded
        if (queue != null) queue.add(this);
    }

    /// Polls for the result before the thread sleeps.
    private void poll(long nanos) {
        if (queue != null || isDone() || Thread.currentThread().isVirtual()) return;
        if (!POLLED.compareAndSet(this, false, true)) return;
        boolean isSettled = false;
        try {
            long since = System.nanoTime();
            while (completion == null && !isDone() && System.nanoTime() - since < nanos) Thread.yield();
            if (completion != null && getNumberOfDependents() == 0 && ended.getNumberOfDependents() == 0) {
                settle();
                isSettled = true;
            }
        } finally {
            isPolled = false;
            // not settled above: the result arrived after the loop, the future has dependent stages, or
            // `settle` threw
            if (!isSettled && completion != null) VIRTUAL.execute(this::settle);
        }
    }

    @Override
    public R get() throws InterruptedException, ExecutionException {
        poll(POLL_NANOS);
        return super.get();
    }

    @Override
    public R get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        poll(Math.min(unit.toNanos(timeout), POLL_NANOS));
        return super.get(timeout, unit);
    }

    @Override
    public R join() {
        poll(POLL_NANOS);
        return super.join();
    }

    /// Cancels the task, even if it has started. Threads that wait for it get a `CancellationException`
    /// immediately. Local.
    ///
    /// @param mayInterruptIfRunning has no effect: a running task is always interrupted
    /// @return whether the task is cancelled now
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) dispatcher.cancel(batch);
        return cancelled;
    }

    /// Returns a stage that completes when the task has ended or can no longer begin. If the task was running
    /// when it was cancelled, the stage completes when the worker is free again. Local.
    public CompletionStage<Void> onEnd() {
        return ended.minimalCompletionStage();
    }

    @Override
    public Executor defaultExecutor() {
        return VIRTUAL;
    }
}
