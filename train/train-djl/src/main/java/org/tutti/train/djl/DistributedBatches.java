package org.tutti.train.djl;

import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Sampler;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.train.Batch;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;

/// This rank's batches of a DJL data set: a [DistributedSampler] for `setSampling` of a data set's builder.
///
///     .setSampling(DistributedBatches.of(32, group).withShuffle(42))      for training
///     .setSampling(DistributedBatches.of(256, group))                  for an evaluation
///
/// In an epoch every sample is used once, on one rank. If the last step has fewer samples than ranks, some
/// ranks have one batch fewer, which [DdpTrainer] handles. Use one object per data set, and run the same number
/// of passes on all ranks.
public final class DistributedBatches implements Sampler {
    private final int batch;
    private final boolean global;
    private final ProcessGroup group;
    private final @Nullable Long seed;
    private int epoch;

    private DistributedBatches(int batch, boolean global, ProcessGroup group, @Nullable Long seed, int epoch) {
        if (epoch < 0) throw new IllegalArgumentException("epoch " + epoch);
        if (batch < 1) throw new IllegalArgumentException("a batch of " + batch + " samples; it must have at least 1");
        this.batch = batch;
        this.global = global;
        this.group = group;
        this.seed = seed;
        this.epoch = epoch;
    }

    /// Returns batches of `batchSize` samples on every rank, as DJL's sampler does on one rank.
    public static DistributedBatches of(int batchSize, ProcessGroup group) {
        return new DistributedBatches(batchSize, false, group, null, 0);
    }

    /// Returns batches for steps with `globalBatchSize` samples on all ranks together, for any number of ranks.
    public static DistributedBatches ofGlobalSize(int globalBatchSize, ProcessGroup group) {
        return new DistributedBatches(globalBatchSize, true, group, null, 0);
    }

    /// Returns batches in a different order in each epoch, the same on all ranks. By default samples are in the
    /// order of the sample numbers.
    public DistributedBatches withShuffle(long withSeed) {
        return new DistributedBatches(batch, global, group, withSeed, epoch);
    }

    /// Returns the same batches with `next` as the number of the next epoch, counted from 0, to resume a
    /// training. Each pass over the data set increases the number by one.
    public DistributedBatches withEpoch(int next) {
        return new DistributedBatches(batch, global, group, seed, next);
    }

    /// @throws IllegalArgumentException if the batches are shuffled, as for training, and the data set or the
    ///     global batch has fewer samples than there are ranks
    @Override
    public Iterator<List<Long>> sample(RandomAccessDataset dataset) {
        int samples = Math.toIntExact(dataset.size());
        DistributedSampler sampler = DistributedSampler.of(samples, group);
        Long withSeed = seed;
        if (withSeed != null) {
            int first = global ? Math.min(batch, samples) : samples;
            if (first < group.size()) {
                throw new IllegalArgumentException("steps of " + first + " samples for " + group.size()
                        + " ranks: some would have none to train with; use fewer ranks");
            }
            sampler = sampler.withShuffle(withSeed).withEpoch(epoch++);
        }
        Iterable<Batch> steps = global ? sampler.globalBatches(batch) : sampler.batches(batch);
        Stream<Batch> mine = StreamSupport.stream(steps.spliterator(), false).filter(b -> b.size() > 0);
        return mine.map(b -> Arrays.stream(b.samples()).asLongStream().boxed().toList())
                .iterator();
    }

    /// Returns the maximum number of samples in a batch of this rank.
    @Override
    public int getBatchSize() {
        return global ? Math.ceilDiv(batch, group.size()) : batch;
    }
}
