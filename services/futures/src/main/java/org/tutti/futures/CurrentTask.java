package org.tutti.futures;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/// Methods for the code of a task: queries about the task that the calling thread runs, and reports to its
/// submitter.
public final class CurrentTask {
    private static final ThreadLocal<@Nullable CurrentTask> CURRENT = new ThreadLocal<>();
    private static final RandomGeneratorFactory<RandomGenerator> GENERATORS =
            RandomGeneratorFactory.of("L64X128MixRandom");
    private static final int SEED_LONGS = 4;

    private static final long[] NONE = {};

    private final TaskWatch watch;
    private final Consumer<String> reporter;
    private long number;
    private long seed;
    private long[] pools = NONE;
    private @Nullable RandomGenerator random;

    /// The task that this thread was running before it became a worker of the current pool.
    private @Nullable CurrentTask outer;

    CurrentTask(TaskWatch watch, Consumer<String> reporter) {
        this.watch = watch;
        this.reporter = reporter;
    }

    /// Marks the calling thread as running tasks.
    ///
    /// @param ofPools see [Wire]
    void enter(long[] ofPools) {
        pools = ofPools;
        outer = CURRENT.get();
        CURRENT.set(this);
    }

    void leave() {
        CurrentTask before = outer;
        outer = null;
        if (before == null) {
            CURRENT.remove();
            return;
        }
        CURRENT.set(before);
        if (before.watch.isOver()) Thread.currentThread().interrupt(); // the end of the inner task cleared the flag
    }

    void begin(long task, long itsSeed) {
        number = task;
        seed = itsSeed;
        random = null;
    }

    long seed() {
        return seed;
    }

    /// Returns the id of the pool to which the current task belongs and, if pools are nested, the ids of the
    /// pools with a task that is waiting for this task; empty outside of a task.
    static long[] pools() {
        CurrentTask task = CURRENT.get();
        return task == null ? NONE : task.pools;
    }

    /// Returns whether the calling thread runs a task of `pool`, or a task for which a task of `pool` is
    /// waiting.
    static boolean isWithin(long pool) {
        for (long p : pools()) if (p == pool) return true;
        return false;
    }

    private static CurrentTask get(String operation) {
        CurrentTask task = CURRENT.get();
        if (task != null) return task;
        throw new IllegalStateException(
                operation + ": this thread runs no task of a pool; ask on the thread that the task was called on");
    }

    /// Returns a random generator of this task. It produces the same numbers on every rank, in any order of the
    /// tasks and with any chunk size, for the same [Tasks#withSeed] and the same task number. Repeated calls
    /// return the same generator. Local.
    ///
    /// @throws IllegalStateException if the calling thread runs no task
    public static RandomGenerator random() {
        CurrentTask task = get("random");
        RandomGenerator known = task.random;
        if (known == null) task.random = known = generator(task.seed, task.number);
        return known;
    }

    /// Returns the random generator of a task. Every step from the task number to the generator's initial state
    /// is invertible, so tasks with different numbers have different generators.
    static RandomGenerator generator(long seed, long number) {
        long key = new SplittableRandom(seed).nextLong() ^ new SplittableRandom(number).nextLong();
        SplittableRandom words = new SplittableRandom(key);
        ByteBuffer bytes = ByteBuffer.allocate(SEED_LONGS * Long.BYTES);
        while (bytes.hasRemaining()) bytes.putLong(words.nextLong());
        return GENERATORS.create(bytes.array());
    }

    /// Returns the number of the task, from 0, in the call that submitted it. Local.
    ///
    /// @throws IllegalStateException if the calling thread runs no task
    public static long number() {
        return get("number").number;
    }

    /// Returns whether the result of the task is no longer needed: the task was cancelled, it exceeded the time
    /// limit, or the pool was closed. The task's thread has been interrupted as well. Local.
    ///
    /// @throws IllegalStateException if the calling thread runs no task
    public static boolean isCancelled() {
        return get("isCancelled").watch.isOver();
    }

    /// Sends a report to the caller that submitted the task, while the task is running; see
    /// [Tasks#submit(RankFunction, Object, java.util.function.ObjIntConsumer)]. The report is discarded if the
    /// task was submitted by any other method.
    ///
    /// @throws IllegalStateException if the calling thread runs no task
    public static void report(String text) {
        get("report").reporter.accept(Objects.requireNonNull(text, "report: the text is null"));
    }
}
