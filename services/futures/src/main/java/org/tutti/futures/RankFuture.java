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

/// The result of a task, once it is there. [#cancel] reaches the worker: a task that has not begun does
/// not begin, one that runs is interrupted.
///
/// What depends on it runs on a virtual thread, on that of somebody who waits in `get` or `join`, or at once where the
/// result is there already; never on one of the pool's threads, so it may wait for other tasks. Its failure is a
/// [TaskFailedException], a [TaskTimeoutException], a [TaskRefusedException] or a [BrokenPoolException]: the cause of
/// the `ExecutionException` of `get`.
///
/// @param <R> of the result
public final class RankFuture<R extends @Nullable Object> extends CompletableFuture<R> {
    private static final Executor VIRTUAL = Thread::startVirtualThread;

    /// How long who waits looks for the result before it sleeps: to be woken takes longer than a short task.
    private static final long LOOK_NANOS = 100_000;

    private static final VarHandle LOOKED_FOR;

    static {
        try {
            LOOKED_FOR = MethodHandles.lookup().findVarHandle(RankFuture.class, "isLookedFor", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Dispatcher dispatcher;
    private final @Nullable BlockingQueue<? super RankFuture<R>> queue;
    private final @Nullable ObjIntConsumer<String> reports;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final TaskBatch batch;

    /// What completes it, once the pool knows and until somebody has; to do it twice does no harm.
    private volatile @Nullable Runnable completion;

    /// Whether a thread looks for that and will do it, so that no other one need be started.
    private volatile boolean isLookedFor;

    /// @param queue gets the future once the task has ended
    /// @param reports gets what the task reports, and the rank on which it runs
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

    /// What the pool tells of the task. Dependents run elsewhere than on its thread, which the rest of
    /// them needs.
    private final class End implements TaskBatch.Sink {
        @Override
        @SuppressWarnings("unchecked") // the function's type said so
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
            // nobody waits for those of a cancelled task, behind which its end comes
            if (reports == null || isDone()) return;
            try {
                reports.accept(text, rank);
            } catch (RuntimeException | Error e) {
                Thread thread = Thread.currentThread(); // the pool continues, unless the handler exits
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }

        private void end(Runnable completes) {
            // the caller of callOnAll waits by itself
            if (batch.job.kind() != Wire.TOGETHER) dispatcher.submittedHasEnded(batch);
            completion = completes;
            if (!isLookedFor) VIRTUAL.execute(RankFuture.this::settle);
        }
    }

    private void settle() {
        Runnable own = completion;
        if (own == null) return;
        own.run();
        ended.complete(null);
        completion = null; // the result of one that was cancelled is nobody's
        if (queue != null) queue.add(this);
    }

    /// Before a thread sleeps until the result is there.
    private void look(long nanos) {
        if (queue != null || isDone() || Thread.currentThread().isVirtual()) return;
        if (!LOOKED_FOR.compareAndSet(this, false, true)) return;
        boolean isSettled = false;
        try {
            long since = System.nanoTime();
            while (completion == null && !isDone() && System.nanoTime() - since < nanos) Thread.yield();
            if (completion != null && getNumberOfDependents() == 0 && ended.getNumberOfDependents() == 0) {
                settle();
                isSettled = true;
            }
        } finally {
            isLookedFor = false;
            // what has come meanwhile, what others depend on, what an error has kept from the result
            if (!isSettled && completion != null) VIRTUAL.execute(this::settle);
        }
    }

    @Override
    public R get() throws InterruptedException, ExecutionException {
        look(LOOK_NANOS);
        return super.get();
    }

    @Override
    public R get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        look(Math.min(unit.toNanos(timeout), LOOK_NANOS));
        return super.get(timeout, unit);
    }

    @Override
    public R join() {
        look(LOOK_NANOS);
        return super.join();
    }

    /// Cancels the task, whether it has begun or not; who waits for it gets a `CancellationException` at
    /// once. Local.
    ///
    /// @param mayInterruptIfRunning has no effect: a task that runs is interrupted
    /// @return whether it is cancelled now
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) dispatcher.cancel(batch);
        return cancelled;
    }

    /// Returns a stage that completes when the task has ended or can no longer begin. For a cancelled task that
    /// was running, this is when its worker is free again. Local.
    public CompletionStage<Void> onEnd() {
        return ended.minimalCompletionStage();
    }

    @Override
    public Executor defaultExecutor() {
        return VIRTUAL;
    }
}
