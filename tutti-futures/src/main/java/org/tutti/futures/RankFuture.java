package org.tutti.futures;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The result of a task, once it is there. [#cancel] reaches the worker: a task that has not begun does
/// not begin, one that runs is interrupted.
///
/// What depends on it runs on a virtual thread, or on one that asks for the result, as with any
/// `CompletableFuture`; never on one of the pool's threads, so it may wait for other tasks. Its failure is a
/// [TaskFailure], a
/// [TaskTimeout], a [TaskRefused] or a [BrokenPool]: the cause of the `ExecutionException` of `get`.
///
/// @param <R> of the result
public final class RankFuture<R extends @Nullable Object> extends CompletableFuture<R> {
    private static final Executor VIRTUAL = Thread::startVirtualThread;
    private static final Object OTHERWISE = new Object();

    /// The task's result.
    private record Answer(@Nullable Object value) {}

    private final Dispatcher dispatcher;
    private final @Nullable BlockingQueue<? super RankFuture<R>> queue;
    private final @Nullable ObjIntConsumer<String> reports;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final TaskBatch batch;
    private final End end = new End();

    /// What this future has come to, where that is the task's result: known before it is complete, which takes
    /// a thread of its own. Null while nothing has come; [#OTHERWISE] when what it is complete with decides.
    private final AtomicReference<@Nullable Object> answer = new AtomicReference<>();

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
        batch = new TaskBatch(job, end, number, argument);
    }

    TaskBatch batch() {
        return batch;
    }

    /// What the pool tells of the task. Dependents run elsewhere than on its thread, which the rest of
    /// them needs.
    private final class End implements TaskBatch.Sink, BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return isDone();
        }

        @Override
        @SuppressWarnings("unchecked") // the function's type said so
        public void done(long task, @Nullable Object value) {
            hasEnded();
            boolean counts = answer.compareAndSet(null, new Answer(value));
            end(() -> {
                if (counts) RankFuture.super.complete((R) value);
            });
        }

        @Override
        public void failed(long task, RuntimeException why) {
            hasEnded();
            end(() -> completeExceptionally(why));
        }

        @Override
        public void cancelled(long task) {
            hasEnded();
            end(() -> {
                if (isOpen()) RankFuture.super.cancel(true);
            });
        }

        @Override
        public boolean wantsReports() {
            return reports != null;
        }

        @Override
        public void reported(String text, int rank) {
            if (reports == null) return;
            try {
                reports.accept(text, rank);
            } catch (RuntimeException e) {
                Thread thread = Thread.currentThread(); // the pool goes on
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }

        /// Before anybody hears of it.
        private void hasEnded() {
            // who calls everywhere waits by itself
            if (batch.job.kind() != Wire.TOGETHER) dispatcher.submittedHasEnded(batch);
        }

        private void end(Runnable completion) {
            VIRTUAL.execute(() -> {
                completion.run();
                ended.complete(null);
                if (queue != null) queue.add(RankFuture.this);
            });
        }
    }

    /// Cancels the task, whether it has begun or not; who waits for it gets a `CancellationException` at
    /// once. Local.
    ///
    /// @param mayInterruptIfRunning has no effect: a task that runs is interrupted
    /// @return whether it is cancelled now
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = isOpen() && super.cancel(mayInterruptIfRunning);
        if (cancelled) dispatcher.cancel(batch);
        return cancelled;
    }

    /// Returns what is complete once the task has ended, or never will begin: of a cancelled one that ran,
    /// when its worker is free again. Local.
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    /// Whether the task's result has not come before; it does not count from now on.
    private boolean isOpen() {
        return answer.compareAndSet(null, OTHERWISE) || answer.get() == OTHERWISE;
    }

    /// The result, once it has come; null where it must be slept for, or is none.
    private @Nullable Answer attended() {
        if (!isDone()) dispatcher.reception().attend(end);
        return answer();
    }

    // ---- what is asked of a future, which has its result before it is complete

    private @Nullable Answer answer() {
        return answer.get() instanceof Answer a ? a : null;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the function's type said so, and null is a value, too
    private R value(Answer a) {
        return (R) a.value;
    }

    @Override
    public R get() throws InterruptedException, ExecutionException {
        Answer a = attended();
        if (a != null) return value(a);
        dispatcher.reception().sleeps();
        try {
            return super.get();
        } finally {
            dispatcher.reception().woke();
        }
    }

    @Override
    public R join() {
        Answer a = attended();
        if (a != null) return value(a);
        dispatcher.reception().sleeps();
        try {
            return super.join();
        } finally {
            dispatcher.reception().woke();
        }
    }

    @Override
    public R get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        Answer a = answer();
        if (a != null) return value(a);
        dispatcher.reception().sleeps();
        try {
            return super.get(timeout, unit);
        } finally {
            dispatcher.reception().woke();
        }
    }

    @Override
    public R getNow(R valueIfAbsent) {
        Answer a = answer();
        return a != null ? value(a) : super.getNow(valueIfAbsent);
    }

    @Override
    public R resultNow() {
        Answer a = answer();
        return a != null ? value(a) : super.resultNow();
    }

    @Override
    public State state() {
        return answer() != null ? State.SUCCESS : super.state();
    }

    @Override
    public boolean isDone() {
        return answer() != null || super.isDone();
    }

    @Override
    public boolean complete(R value) {
        return isOpen() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable why) {
        return isOpen() && super.completeExceptionally(why);
    }

    @Override
    public CompletableFuture<R> completeAsync(Supplier<? extends R> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                if (!isDone()) complete(supplier.get());
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(R value) {
        answer.set(OTHERWISE);
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable why) {
        answer.set(OTHERWISE);
        super.obtrudeException(why);
    }

    @Override
    public Executor defaultExecutor() {
        return VIRTUAL;
    }
}
