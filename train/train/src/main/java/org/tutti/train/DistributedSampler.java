package org.tutti.train;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Assigns the samples of a data set to ranks. In an epoch every sample is used once, by one rank, without
/// padding or dropping. All ranks make the same number of steps. If the samples of a step are not divisible by
/// the number of ranks, some ranks have one sample fewer, and possibly none in the last step.
///
/// The samples of a step depend on the seed, the epoch and the global batch size, not on the number of ranks:
/// two ranks with 32 samples each process the same samples as one rank with 64. The order is drawn by [Random]
/// with a specified algorithm, so it is the same on every machine.
///
/// Immutable: [#withShuffle] and [#withEpoch] return other samplers.
public final class DistributedSampler {
    private final int rank;
    private final int size;
    private final int[] order;
    private final @Nullable Long seed;

    private DistributedSampler(int rank, int size, int[] order, @Nullable Long seed) {
        this.rank = rank;
        this.size = size;
        this.order = order;
        this.seed = seed;
    }

    /// Returns a sampler of `samples` samples, for this rank of the group.
    public static DistributedSampler of(int samples, ProcessGroup group) {
        return of(samples, group.rank(), group.size());
    }

    /// Returns a sampler for rank `rank` of `size` ranks.
    public static DistributedSampler of(int samples, int rank, int size) {
        if (samples < 0) throw new IllegalArgumentException("a data set of " + samples + " samples");
        if (rank < 0 || rank >= size) throw new IllegalArgumentException("rank " + rank + " of " + size);
        return new DistributedSampler(rank, size, order(samples, 0, null), null);
    }

    /// Returns the sampler of epoch 0 that draws a different order for each epoch. By default samples are in
    /// the order of the sample numbers.
    public DistributedSampler withShuffle(long withSeed) {
        return new DistributedSampler(rank, size, order(order.length, 0, withSeed), withSeed);
    }

    /// Returns the sampler of an epoch; the same seed and epoch result in the same order. PyTorch's
    /// `set_epoch`.
    public DistributedSampler withEpoch(int epoch) {
        if (epoch < 0) throw new IllegalArgumentException("epoch " + epoch);
        return new DistributedSampler(rank, size, order(order.length, epoch, seed), seed);
    }

    private static int[] order(int samples, int epoch, @Nullable Long seed) {
        int[] order = new int[samples];
        Arrays.setAll(order, i -> i);
        if (seed == null) return order;
        Random random = new Random(seed ^ epoch * 0x9E3779B97F4A7C15L);
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        return order;
    }

    /// Returns steps with `each` samples on every rank, which is PyTorch's batch size; the last step has the
    /// remaining samples.
    public Iterable<Batch> batches(int each) {
        checkPositive("a batch size", each);
        return globalBatches(Math.multiplyExact(each, size));
    }

    /// Returns steps with `all` samples over all ranks; the last step has the remaining samples.
    public Iterable<Batch> globalBatches(int all) {
        checkPositive("a global batch size", all);
        return () -> new Batches(order, all);
    }

    /// Returns this rank's samples of the whole epoch in one array, for an evaluation.
    public int[] samples() {
        return part(order, 0, order.length);
    }

    private static void checkPositive(String name, int size) {
        if (size <= 0) throw new IllegalArgumentException(name + " of " + size + "; it must be at least 1");
    }

    /// Returns the part of this rank; the sizes of the ranks' parts differ by at most one.
    private int[] part(int[] of, int from, int to) {
        long count = (long) to - from;
        int begin = from + (int) (count * rank / size);
        int end = from + (int) (count * (rank + 1) / size);
        return Arrays.copyOfRange(of, begin, end);
    }

    private final class Batches implements Iterator<Batch> {
        private final int[] of;
        private final int all;
        private int at;

        Batches(int[] of, int all) {
            this.of = of;
            this.all = all;
        }

        @Override
        public boolean hasNext() {
            return at < of.length;
        }

        @Override
        public Batch next() {
            if (!hasNext()) throw new NoSuchElementException("the epoch is over");
            int end = (int) Math.min((long) at + all, of.length);
            Batch batch = new Batch(part(of, at, end), end - at);
            at = end;
            return batch;
        }
    }
}
