package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// A running map. The thread that iterates over the results reads the input, so that the number of unfinished
/// tasks and unread results never exceeds the window. The dispatcher stores the results.
final class MapRun implements TaskBatch.Sink {
    /// Target duration and maximum size of a chunk. Longer chunks bring no benefit and balance the load badly.
    private static final long CHUNK_NANOS = 500_000, CHUNK_BYTES = 256 << 10;

    private static final int MOST_IN_CHUNK = 4096;
    private static final int LEAST_WINDOW = 64, MOST_FETCHED = 256;
    private static final int PER_WORKER = 4;

    /// Maximum number of results stored before the waiting thread is notified. A notification for each result
    /// would cost as much as a short task.
    private static final int MOST_UNTOLD = 16;

    /// Represents a null result, because a queue cannot hold null, and null in a slot means that the slot is
    /// empty.
    private static final Object NULL = new Object();

    private record Failure(RuntimeException why) {}

    private final Dispatcher dispatcher;
    private final PoolJob job;
    private final TaskOptions options;
    private final @Nullable ProgressMeter progress;

    // used only by the thread that iterates over results
    private Iterator<?> input;
    private long inputLeft;
    private List<@Nullable Object> chunk = new ArrayList<>();
    private long submitted;
    private long taken;

    /// Results that were fetched together, so that the lock is not acquired for each result.
    private final @Nullable Object[] fetched = new @Nullable Object[MOST_FETCHED];

    private int fetchedAt;
    private int fetchedCount;

    private volatile int suggested;
    private volatile boolean cancelled;

    /// Ordered results that have arrived, by task number. Guarded by `this`, like all fields below.
    private @Nullable Object[] slots = new @Nullable Object[LEAST_WINDOW];

    private final ArrayDeque<Object> ready = new ArrayDeque<>();
    private final Set<TaskBatch> batches = new LinkedHashSet<>();

    /// For ordered results: the number of the next task to fetch.
    private long next;

    /// Results stored since the waiting thread was last notified.
    private int untold;

    /// @param size the size of the input; negative if unknown
    MapRun(Dispatcher dispatcher, PoolJob job, TaskOptions options, Iterator<?> input, long size) {
        this.dispatcher = dispatcher;
        this.job = job;
        this.options = options;
        this.input = input;
        inputLeft = size;
        progress =
                options.progress() == null ? null : new ProgressMeter(options.progress(), size, dispatcher.workers());
        suggested = options.chunk() > 0 ? options.chunk() : 1;
        fill();
    }

    // ---- the thread that iterates over results

    private int chunkSize() {
        int size = suggested;
        if (options.chunk() == 0 && inputLeft >= 0) {
            size = (int) Math.min(size, 1 + inputLeft / PER_WORKER / dispatcher.workers());
        }
        return options.window() > 0 ? Math.min(size, options.window()) : size;
    }

    private boolean hasRoom() {
        int window = options.window();
        if (window == 0) window = Math.max(LEAST_WINDOW, PER_WORKER * dispatcher.workers() * chunkSize());
        return submitted - taken < window;
    }

    private void fill() {
        try {
            while (hasRoom() && input.hasNext()) push(input.next());
        } catch (RuntimeException | Error e) {
            cancel(); // a failure of the program
            throw e;
        }
        if (!chunk.isEmpty() && hasRoom()) flush(); // the input has ended
    }

    /// Adds an argument.
    void push(@Nullable Object argument) {
        submitted++;
        if (inputLeft > 0) inputLeft--;
        chunk.add(argument);
        if (chunk.size() >= chunkSize()) flush();
    }

    private void flush() {
        TaskBatch batch = new TaskBatch(job, this, submitted - chunk.size(), chunk.toArray());
        chunk = new ArrayList<>();
        synchronized (this) {
            if (cancelled) return;
            makeRoom();
            batches.add(batch);
        }
        dispatcher.offer(batch);
    }

    /// Enlarges `slots` if necessary. The length is a power of two, so that the lower bits of a task number are
    /// the index of the result.
    private void makeRoom() {
        if (options.unordered() || submitted - taken <= slots.length) return;
        int length = slots.length;
        while (length < submitted - taken) length *= 2;
        @Nullable Object[] larger = new @Nullable Object[length];
        for (long i = taken; i < taken + slots.length; i++) {
            larger[(int) (i & (length - 1))] = slots[(int) (i & (slots.length - 1))];
        }
        slots = larger;
    }

    /// Returns whether all results have been taken.
    boolean isAtEnd() {
        if (cancelled) return true;
        fill();
        return taken == submitted;
    }

    boolean isFull() {
        return !hasRoom();
    }

    /// Returns whether [#take] would return without waiting.
    boolean isReady() {
        return fetchedAt < fetchedCount || hasArrived();
    }

    private synchronized boolean hasArrived() {
        return options.unordered() ? !ready.isEmpty() : slots[place(next)] != null;
    }

    private int place(long task) {
        return (int) (task & (slots.length - 1));
    }

    /// Returns the next result. Call only if the result of some task has not been returned yet.
    @Nullable
    Object take() {
        if (!chunk.isEmpty() && submitted - chunk.size() == taken) flush();
        if (cancelled) throw new CancellationException(job.name() + " was cancelled");
        if (fetchedAt == fetchedCount) fetch();
        Object result = fetched[fetchedAt];
        fetched[fetchedAt++] = null;
        taken++;
        if (result instanceof Failure failure) throw failure.why;
        return result == NULL ? null : result;
    }

    /// Waits for the next result, then fetches this result, and the following results if they have arrived.
    private synchronized void fetch() {
        while (!hasArrived()) {
            if (cancelled) throw new CancellationException(job.name() + " was cancelled");
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException(job.name() + ": interrupted while waiting for task " + next);
            }
        }
        fetchedAt = 0;
        fetchedCount = 0;
        while (fetchedCount < fetched.length && hasArrived()) {
            if (options.unordered()) {
                fetched[fetchedCount++] = ready.poll();
            } else {
                int place = place(next++);
                fetched[fetchedCount++] = slots[place];
                slots[place] = null;
            }
        }
    }

    void cancel() {
        List<TaskBatch> all;
        synchronized (this) {
            if (cancelled) return;
            cancelled = true;
            all = List.copyOf(batches);
            batches.clear();
            Arrays.fill(slots, null);
            ready.clear();
            notifyAll();
        }
        for (TaskBatch batch : all) dispatcher.cancel(batch);
    }

    Iterator<@Nullable Object> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !isAtEnd();
            }

            @Override
            public @Nullable Object next() {
                if (isAtEnd()) throw new NoSuchElementException(job.name() + " has no more results");
                return take();
            }
        };
    }

    // ---- the dispatcher

    @Override
    public void done(long task, @Nullable Object value) {
        done(task, new @Nullable Object[] {value});
    }

    @Override
    public synchronized void failed(long task, RuntimeException why) {
        put(task, new Failure(why));
        wake();
    }

    @Override
    public synchronized void cancelled(long task) {
        put(task, new Failure(new CancellationException("task " + task + " of " + job.name() + " was cancelled")));
        wake();
    }

    @Override
    public synchronized void done(long first, @Nullable Object[] values) {
        for (int i = 0; i < values.length; i++) put(first + i, values[i] == null ? NULL : values[i]);
        if (untold >= MOST_UNTOLD) wake();
    }

    private void put(long task, Object result) {
        if (cancelled) return;
        if (progress != null) progress.oneMore();
        if (options.unordered()) ready.add(result);
        else slots[place(task)] = result;
        untold++;
    }

    @Override
    public synchronized void wake() {
        if (!hasArrived()) return;
        untold = 0;
        notifyAll();
    }

    @Override
    public synchronized void begins(TaskBatch part) {
        if (cancelled) part.unwanted = true;
        else batches.add(part);
    }

    /// Adapts the chunk size. A batch increases the size at most to twice the current one, because the first
    /// tasks may not be typical.
    @Override
    public synchronized void ended(TaskBatch batch, long nanos, long bytes) {
        batches.remove(batch);
        if (options.chunk() > 0 || nanos == 0) return;
        int tasks = batch.arguments.length;
        long byTime = CHUNK_NANOS * tasks / nanos;
        long byBytes = CHUNK_BYTES * tasks / Math.max(1, bytes);
        long best = Math.min(Math.min(byTime, byBytes), Math.min(2L * suggested, MOST_IN_CHUNK));
        suggested = (int) Math.max(1, best);
    }
}
