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

/// This rank's batches of a DJL data set: [DistributedSampler] as what `setSampling` of a data set's
/// builder takes.
///
///     .setSampling(DistributedBatches.of(32, group).withShuffle(42))      for training
///     .setSampling(DistributedBatches.of(256, group))                  for an evaluation
///
/// In an epoch every sample comes once, on one rank. Where the last step has fewer samples than there are
/// ranks, some ranks have one batch less; [DdpTrainer] sees to that. One object serves one data set, over
/// which all ranks go as often.
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

    /// Steps with `batchSize` samples on every rank, as many as DJL's own sampler has on one.
    public static DistributedBatches of(int batchSize, ProcessGroup group) {
        return new DistributedBatches(batchSize, false, group, null, 0);
    }

    /// Steps with `globalBatchSize` samples on all ranks together, whatever their number.
    public static DistributedBatches ofGlobalSize(int globalBatchSize, ProcessGroup group) {
        return new DistributedBatches(globalBatchSize, true, group, null, 0);
    }

    /// Returns batches with another order in each epoch, the same on all ranks. Without it, samples are in the order
    /// of their numbers.
    public DistributedBatches withShuffle(long withSeed) {
        return new DistributedBatches(batch, global, group, withSeed, epoch);
    }

    /// Returns batches whose next epoch has this number, from 0; each pass over the data set increases it by one. For
    /// training that resumes.
    public DistributedBatches withEpoch(int next) {
        return new DistributedBatches(batch, global, group, seed, next);
    }

    /// @throws IllegalArgumentException for shuffled batches, so for training, of which a rank would have
    ///     none
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

    /// The most samples in a batch of this rank.
    @Override
    public int getBatchSize() {
        return global ? Math.ceilDiv(batch, group.size()) : batch;
    }
}
