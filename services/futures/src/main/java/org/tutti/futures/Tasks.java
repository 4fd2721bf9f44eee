package org.tutti.futures;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;
import java.util.stream.Gatherer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;

/// Submits tasks: a [RankPool], or a view of it with other options. Each option returns a new view.
///
///     pool.unordered().withChunkSize(64).withWindow(1000).map(x -> f(x), endless)
///
/// A function is a lambda, a method reference or a record; see [RankFunction]. Arguments and results are values
/// that [org.tutti.mpi.Comm#sendObject] can send, and are copied: an argument must not change before the task
/// has ended. Any thread may submit tasks, except a thread that runs a task of the same pool.
public sealed class Tasks permits RankPool {
    /// The chunks of a reduction depend only on the size of the input, so the result is bitwise reproducible.
    private static final int FOLDS = 256, FOLD_OF_UNKNOWN = 64;

    final Dispatcher dispatcher;
    private final TaskOptions options;
    private final AtomicLong submitted = new AtomicLong();

    Tasks(Dispatcher dispatcher, TaskOptions options) {
        this.dispatcher = dispatcher;
        this.options = options;
    }

    private Tasks with(TaskOptions others) {
        return new Tasks(dispatcher, others);
    }

    // ---- options

    /// Returns a view whose tasks draw random numbers from this seed: see [CurrentTask#random].
    public final Tasks withSeed(long seed) {
        return with(options.seed(seed));
    }

    /// Returns a view whose maps return results in order of completion instead of argument order.
    public final Tasks unordered() {
        return with(options.inAnyOrder());
    }

    /// Returns a view whose maps send `tasks` tasks per message. By default a message has up to half a
    /// millisecond of work or 256 KiB.
    ///
    /// @throws IllegalArgumentException if `tasks` is less than 1
    public final Tasks withChunkSize(int tasks) {
        return with(options.chunk(tasks));
    }

    /// Returns a view whose maps have at most `tasks` unfinished tasks and unread results. The default is four
    /// chunks per worker, but at least 64 tasks.
    ///
    /// @throws IllegalArgumentException if `tasks` is less than 1
    public final Tasks withWindow(int tasks) {
        return with(options.window(tasks));
    }

    /// Returns a view with a time limit for each task, or each chunk of a reduction, counted from the start of
    /// the task or chunk. At the limit the task is interrupted; when it ends, the result is a
    /// [TaskTimeoutException].
    ///
    /// @throws IllegalArgumentException if `limit` is not positive
    public final Tasks withTimeout(Duration limit) {
        return with(options.timeout(limit));
    }

    /// Returns a view whose tasks may run twice: if a worker dies while running a task, a second worker runs
    /// the task, once. By default such a task fails with a [WorkerLostException], because it may have had side
    /// effects.
    public final Tasks idempotent() {
        return with(options.mayRunTwice());
    }

    /// Returns a view whose maps print the progress on stderr, every ten seconds and at the end.
    ///
    /// @param label the name of the tasks in these lines
    public final Tasks withProgress(String label) {
        return with(options.progress(label));
    }

    // ---- tasks

    private PoolJob job(int kind, long id, Object @Nullable [] definition, String operation) {
        StackTraceElement maker = UserLine.frame();
        return new PoolJob(
                kind,
                id,
                definition,
                options.seed(),
                options.timeoutNanos(),
                options.idempotent(),
                dispatcher.pools(),
                operation,
                maker == null ? "" : UserLine.text(maker),
                maker);
    }

    final Object[] definition(@Nullable Serializable function, @Nullable Serializable operator, String operation) {
        boolean processes = dispatcher.processes();
        Object operatorDescription = operator == null ? null : CallSites.describe(operator, operation, processes);
        return new Object[] {CallSites.describe(function, operation, processes), operatorDescription};
    }

    /// Submits a task and returns the future. Waits only if the queue of unstarted tasks is full.
    ///
    /// @throws TaskRefusedException if no other rank could resolve the function, or a task of this pool calls
    ///     this method
    public final <T extends @Nullable Object, R extends @Nullable Object> RankFuture<R> submit(
            RankFunction<T, R> function, T argument) {
        return submit(function, argument, null, null);
    }

    /// As [#submit(RankFunction, Object)], for a task that reports while it runs: `reports` receives, in order,
    /// each string that the task passes to [CurrentTask#report], with the task's rank. All reports arrive
    /// before the future completes, unless the task was cancelled.
    ///
    /// The pool's thread calls `reports`, so a slow call blocks the pool. An exception that `reports` throws is
    /// passed to the uncaught exception handler of this thread. Under `tutti run`, the exception ends the job;
    /// otherwise the pool and the task continue.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <T extends @Nullable Object, R extends @Nullable Object> RankFuture<R> submit(
            RankFunction<T, R> function, T argument, ObjIntConsumer<String> reports) {
        return submit(function, argument, null, reports);
    }

    final <T extends @Nullable Object, R extends @Nullable Object> RankFuture<R> submit(
            RankFunction<T, R> function,
            T argument,
            @Nullable BlockingQueue<? super RankFuture<R>> queue,
            @Nullable ObjIntConsumer<String> reports) {
        Object[] definition = definition(function, null, "submit");
        PoolJob job = job(Wire.APPLY, dispatcher.jobOf(definition[0]), definition, "submit");
        return submit(job, argument, queue, reports);
    }

    /// Submits a task and returns the future. See [#submit(RankFunction, Object)].
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <R extends @Nullable Object> RankFuture<R> submit(RankCallable<R> task) {
        return submit(task, null);
    }

    final <R extends @Nullable Object> RankFuture<R> submit(
            RankCallable<R> task, @Nullable BlockingQueue<? super RankFuture<R>> queue) {
        Object description = CallSites.describe(task, "submit", dispatcher.processes());
        return submit(job(Wire.CALL, 0, null, "submit"), description, queue, null);
    }

    /// Returns an `ExecutorService` that runs tasks with these options. Local.
    public final RankExecutor asExecutorService() {
        return new RankExecutor(this);
    }

    private <R extends @Nullable Object> RankFuture<R> submit(
            PoolJob job,
            @Nullable Object argument,
            @Nullable BlockingQueue<? super RankFuture<R>> queue,
            @Nullable ObjIntConsumer<String> reports) {
        RankFuture<R> future = new RankFuture<>(dispatcher, job, submitted.getAndIncrement(), argument, queue, reports);
        dispatcher.submit(future.batch());
        return future;
    }

    /// Applies `function` to each argument, and returns the results in the order of the arguments or, with
    /// [#unordered], in order of completion. The first tasks begin immediately, the remaining ones as results
    /// are consumed, so the arguments may be endless. The thread that consumes the results iterates over the
    /// arguments.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <T extends @Nullable Object, R extends @Nullable Object> Results<R> map(
            RankFunction<? super T, ? extends R> function, Iterable<? extends T> arguments) {
        long size = arguments instanceof Collection<?> c ? c.size() : -1;
        return new Results<>(run(function, given(arguments, "map").iterator(), size, "map"));
    }

    /// As [#map(RankFunction, Iterable)], for a stream. The stream is not split.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <T extends @Nullable Object, R extends @Nullable Object> Results<R> map(
            RankFunction<? super T, ? extends R> function, Stream<? extends T> arguments) {
        Spliterator<? extends T> all = given(arguments, "map").spliterator();
        return new Results<>(run(function, Spliterators.iterator(all), all.getExactSizeIfKnown(), "map"));
    }

    /// As [#map(RankFunction, Iterable)], for numbers.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <R extends @Nullable Object> Results<R> map(
            RankFunction<Integer, ? extends R> function, IntStream arguments) {
        return map(function, given(arguments, "map").boxed());
    }

    private MapRun run(Serializable function, Iterator<?> arguments, long size, String operation) {
        PoolJob job = job(Wire.APPLY, dispatcher.newJob(), definition(function, null, operation), operation);
        return new MapRun(dispatcher, job, options, arguments, size);
    }

    /// Calls all tasks, and returns the results in the order of the tasks or, with [#unordered], in order of
    /// completion. Blocking.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    /// @throws TaskFailedException as [Results#toList]
    public final <R extends @Nullable Object> List<R> callAll(Collection<? extends RankCallable<? extends R>> tasks) {
        boolean processes = dispatcher.processes();
        Iterator<Object> description = tasks.stream()
                .map(task -> CallSites.describe(task, "callAll", processes))
                .iterator();
        PoolJob job = job(Wire.CALL, 0, null, "callAll");
        return new Results<R>(new MapRun(dispatcher, job, options, description, tasks.size())).toList();
    }

    /// Applies `function` to each argument, and combines the results with `operator` in the order of the
    /// arguments: workers combine the results of a chunk, and the caller combines the chunks. Without
    /// [#withChunkSize] there are at most 256 chunks, of equal size except the last one, or chunks of 64
    /// arguments if the number of arguments is unknown. So the result does not depend on the number or the speed
    /// of the workers, even if the operator is only approximately associative, like a floating-point sum.
    /// Blocking.
    ///
    /// @throws NoSuchElementException if there are no arguments
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    /// @throws TaskFailedException if a task has failed; the remaining tasks are cancelled then
    public final <T extends @Nullable Object, R> R reduce(
            RankFunction<? super T, R> function, Iterable<? extends T> arguments, RankOperator<R> operator) {
        long size = arguments instanceof Collection<?> c ? c.size() : -1;
        return reduce(function, given(arguments, "reduce").iterator(), size, operator);
    }

    /// As [#reduce(RankFunction, Iterable, RankOperator)], for a stream.
    ///
    /// @throws NoSuchElementException if there are no arguments
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    /// @throws TaskFailedException if a task has failed; the remaining tasks are cancelled then
    public final <T extends @Nullable Object, R> R reduce(
            RankFunction<? super T, R> function, Stream<? extends T> arguments, RankOperator<R> operator) {
        Spliterator<? extends T> all = given(arguments, "reduce").spliterator();
        return reduce(function, Spliterators.iterator(all), all.getExactSizeIfKnown(), operator);
    }

    private static <A> A given(A arguments, String operation) {
        return Objects.requireNonNull(arguments, () -> operation + ": the arguments are null");
    }

    private <R> R reduce(Serializable function, Iterator<?> arguments, long size, RankOperator<R> operator) {
        Objects.requireNonNull(operator, "reduce: the operator is null");
        if (!arguments.hasNext()) throw new NoSuchElementException("reduce: without arguments there can be no result");
        PoolJob job = job(Wire.FOLD, dispatcher.newJob(), definition(function, operator, "reduce"), "reduce");
        int chunk = options.chunk();
        if (chunk == 0) chunk = size < 0 ? FOLD_OF_UNKNOWN : Math.toIntExact((size + FOLDS - 1) / FOLDS);
        TaskOptions one = options.inOrderOneByOne();
        Iterator<Object[]> chunks = chunks(arguments, chunk);
        long count = size < 0 ? -1 : (size + chunk - 1) / chunk;
        Results<R> parts = new Results<>(new MapRun(dispatcher, job, one, chunks, count));
        try {
            Iterator<R> each = parts.iterator();
            R sum = each.next();
            while (each.hasNext()) sum = operator.apply(sum, each.next());
            return sum;
        } catch (RuntimeException e) {
            parts.cancel();
            throw e;
        } catch (Exception e) {
            parts.cancel();
            throw new IllegalStateException("reduce: the operator has failed on this rank", e);
        }
    }

    /// Returns the chunks of the arguments. A chunk consists of the index of its first argument, followed by
    /// its arguments.
    private static Iterator<Object[]> chunks(Iterator<?> arguments, int size) {
        return new Iterator<>() {
            private long first;

            @Override
            public boolean hasNext() {
                return arguments.hasNext();
            }

            @Override
            public Object[] next() {
                List<@Nullable Object> chunk = new ArrayList<>(size + 1);
                chunk.add(first);
                while (chunk.size() <= size && arguments.hasNext()) chunk.add(arguments.next());
                first += chunk.size() - 1;
                return chunk.toArray();
            }
        };
    }

    /// Returns a gatherer that applies `function` on the ranks and emits results in order or, with
    /// [#unordered], in order of completion. The number of unfinished tasks never exceeds the window, see
    /// [#withWindow].
    ///
    ///     Stream.of("a", "bb").gather(pool.gatherer(s -> s.length())).toList()
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    public final <T extends @Nullable Object, R extends @Nullable Object> Gatherer<T, ?, R> gatherer(
            RankFunction<? super T, ? extends R> function) {
        PoolJob job = job(Wire.APPLY, dispatcher.newJob(), definition(function, null, "gatherer"), "gatherer");
        return Gatherer.ofSequential(
                () -> new MapRun(dispatcher, job, options, List.of().iterator(), -1),
                Gatherer.Integrator.of((run, argument, downstream) -> {
                    run.push(argument);
                    boolean wanted = true;
                    while (wanted && (run.isFull() || run.isReady())) wanted = give(run, downstream);
                    return wanted;
                }),
                (run, downstream) -> {
                    boolean wanted = !downstream.isRejecting();
                    while (wanted && !run.isAtEnd()) wanted = give(run, downstream);
                    if (!wanted) run.cancel();
                });
    }

    @SuppressWarnings("unchecked") // the function returns this type
    private static <R extends @Nullable Object> boolean give(MapRun run, Gatherer.Downstream<? super R> downstream) {
        return downstream.push((R) run.take());
    }
}
