package org.tutti.train;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Reads batches with separate threads while the program computes, a limited number in advance, and returns the
/// batches in order.
///
///     try (BatchLoader<Tensor> loader = BatchLoader.of(
///             sampler.withEpoch(epoch).batches(64), sample -> image(files.get(sample)), images -> stacked(images))) {
///         for (BatchLoader.LoadedBatch<Tensor> next : loader) {
///             try (Step step = ddp.step(next.batch().size())) {
///                 … next.data() …
///             }
///         }
///     }
///
/// A returned batch is valid until the program requests the next one. Then the data is closed, if it is
/// `AutoCloseable`, so that memory does not grow. This includes tensors of libtorch: a
/// [Step][DistributedDataParallel.Step] does not free these, because other threads have created them.
///
/// @param <T> type of the data of a batch
/// @see <a href="https://docs.pytorch.org/docs/stable/data.html">PyTorch's DataLoader</a>
public final class BatchLoader<T> implements Iterable<BatchLoader.LoadedBatch<T>>, AutoCloseable {
    /// Options of a loader. Immutable.
    public static final class Options {
        /// Two threads, four batches.
        public static final Options DEFAULTS = new Options(2, 4);

        private final int threads;
        private final int prefetchedBatches;

        private Options(int threads, int prefetchedBatches) {
            if (threads < 1 || prefetchedBatches < 1) {
                throw new IllegalArgumentException(
                        threads + " threads, " + prefetchedBatches + " batches ahead; both must be at least 1");
            }
            this.threads = threads;
            this.prefetchedBatches = prefetchedBatches;
        }

        /// Returns options with this number of threads that read at the same time; PyTorch's `num_workers`.
        public Options withThreads(int number) {
            return new Options(number, prefetchedBatches);
        }

        /// Returns options with this number of batches that are read in advance while the program uses one.
        public Options withPrefetchedBatches(int number) {
            return new Options(threads, number);
        }

        public int threads() {
            return threads;
        }

        public int prefetchedBatches() {
            return prefetchedBatches;
        }

        @Override
        public String toString() {
            return "BatchLoader.Options[threads=" + threads + ", prefetchedBatches=" + prefetchedBatches + "]";
        }
    }

    /// A batch for which all samples were read.
    ///
    /// @param data null for a batch without samples, which a rank may have in the last step
    public record LoadedBatch<T>(Batch batch, @Nullable T data) {}

    private record Reading<T>(Batch batch, @Nullable Future<T> data) {}

    private final Iterator<Batch> batches;
    private final IntFunction<?> read;
    private final Function<List<?>, T> collate;
    private final Options options;
    private final ExecutorService threads;
    private final ArrayDeque<Reading<T>> ahead = new ArrayDeque<>();

    /// The batch that the program uses now.
    private @Nullable T given;

    private boolean isIterated;
    private volatile boolean isClosed;

    private BatchLoader(Iterable<Batch> batches, IntFunction<?> read, Function<List<?>, T> collate, Options options) {
        this.batches = batches.iterator();
        this.read = read;
        this.collate = collate;
        this.options = options;
        threads = Executors.newFixedThreadPool(
                options.threads,
                Thread.ofPlatform().daemon().name("tutti-loader-", 0).factory());
    }

    /// Creates a loader for the batches of an epoch. Both functions are called by several threads at the same
    /// time.
    ///
    /// @param read reads a sample, by number
    /// @param collate combines samples to a batch, in the order of the samples
    public static <S, T> BatchLoader<T> of(Iterable<Batch> batches, IntFunction<S> read, Function<List<S>, T> collate) {
        return of(batches, read, collate, Options.DEFAULTS);
    }

    /// As [#of(Iterable, IntFunction, Function)].
    public static <S, T> BatchLoader<T> of(
            Iterable<Batch> batches, IntFunction<S> read, Function<List<S>, T> collate, Options options) {
        @SuppressWarnings("unchecked") // the list contains only results of `read`
        Function<List<?>, T> any = list -> collate.apply((List<S>) list);
        return new BatchLoader<>(batches, read, any, options);
    }

    /// Returns the only iterator, because a loader can be iterated only once.
    ///
    /// If a sample could not be read, the iterator's `next` throws a [TrainingException] with the number of the
    /// sample and the cause.
    @Override
    public Iterator<LoadedBatch<T>> iterator() {
        if (isIterated) throw new IllegalStateException("a loader can be iterated once; create one for each epoch");
        isIterated = true;
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                fill();
                return !ahead.isEmpty();
            }

            @Override
            public LoadedBatch<T> next() {
                if (!hasNext()) throw new NoSuchElementException();
                closeGiven();
                Reading<T> first = ahead.removeFirst();
                fill();
                Future<T> data = first.data;
                given = data == null ? null : await(data);
                return new LoadedBatch<>(first.batch, given);
            }
        };
    }

    private void fill() {
        if (isClosed) throw new IllegalStateException("the loader was closed");
        while (ahead.size() < options.prefetchedBatches && batches.hasNext()) {
            Batch batch = batches.next();
            ahead.addLast(new Reading<>(batch, batch.size() == 0 ? null : threads.submit(() -> load(batch))));
        }
    }

    private T load(Batch batch) {
        if (isClosed) throw new CancellationException();
        List<Object> samples = new ArrayList<>(batch.size());
        for (int sample : batch.samples()) {
            try {
                samples.add(read.apply(sample));
            } catch (RuntimeException | Error e) {
                throw new TrainingException("sample " + sample + " could not be read: " + e, e);
            }
        }
        try {
            return collate.apply(samples);
        } catch (RuntimeException | Error e) {
            throw new TrainingException(
                    "a batch of " + batch.size() + " samples, the first is " + batch.samples()[0]
                            + ", could not be put together: " + e,
                    e);
        }
    }

    private T await(Future<T> data) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return data.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof TrainingException failure
                            ? failure
                            : new TrainingException("a batch could not be read: " + e.getCause(), e);
                }
            }
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    private void closeGiven() {
        close(given);
        given = null;
    }

    private static void close(@Nullable Object data) {
        if (!(data instanceof AutoCloseable closeable)) return;
        try {
            closeable.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("a batch could not be closed", e);
        }
    }

    /// Ends the loader, even before the last batch. Waits for reads in progress, and closes batches that were
    /// not returned.
    @Override
    public void close() {
        if (isClosed) return;
        isClosed = true;
        closeGiven();
        threads.close();
        for (Reading<T> r : ahead) {
            if (r.data != null && r.data.state() == Future.State.SUCCESS) close(r.data.resultNow());
        }
        ahead.clear();
    }
}
