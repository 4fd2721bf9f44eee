package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup.PendingAllreduce;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.DeferredBucket;
import org.tutti.train.model.GradientBucket;
import org.tutti.train.model.Tensor;

/// Gradients that are summed together. The calls in each step are: [#put] for each gradient, [#start] when the
/// bucket [#isFull], [#await], [#scale], [#take] for each gradient, [#clear].
///
/// With one rank no data is sent.
final class Bucket {
    private final DataParallelModel model;
    private final int[] parameters;
    private final DType type;
    private final GradientBucket gradients;
    private final CommunicationHook hook;
    private final MemorySegment scratch;
    private final boolean isSingleRank;

    private final boolean[] there;
    private int missing;

    /// For each gradient of the bucket, whether this rank's gradient has a non-finite number.
    private final boolean[] nonFinite;

    private @Nullable PendingAllreduce pending;

    /// @param isSingleRank whether the group has no other rank
    Bucket(
            DataParallelModel model,
            List<Integer> chosen,
            boolean isSingleRank,
            GroupMemory memory,
            CommunicationHook hook) {
        this.model = model;
        this.isSingleRank = isSingleRank;
        this.hook = hook;
        parameters = chosen.stream().mapToInt(i -> i).toArray();
        type = model.parameters().get(parameters[0]).spec().dtype();
        gradients = model.createBucket(chosen, isSingleRank ? null : memory::allocate);
        memory.beforeFree(gradients::close);
        long beside = isSingleRank ? 0 : hook.scratchBytes(gradients.storage().sizeBytes(), type);
        scratch = beside == 0 ? MemorySegment.NULL : memory.allocate(beside);
        there = new boolean[parameters.length];
        nonFinite = new boolean[parameters.length];
        missing = parameters.length;
    }

    boolean isFull() {
        return missing == 0;
    }

    boolean has(int place) {
        return there[place];
    }

    void put(int place) {
        gradients.put(place);
        if (!there[place]) missing--;
        there[place] = true;
    }

    /// Starts the sum, with each gradient multiplied by `weight`.
    void start(ProcessGroup group, double weight, ProgressMode mode) {
        if (gradients instanceof DeferredBucket later) {
            later.markUnlessFinite();
        } else {
            boolean finite = gradients.isFinite();
            if (!finite) {
                for (int place = 0; place < nonFinite.length; place++) nonFinite[place] = !gradients.isFinite(place);
            }
            gradients.setMark(!finite);
        }
        if (isSingleRank) {
            pending = () -> {};
            return;
        }
        if (weight != 1) gradients.scale(weight);
        pending = hook.start(new CommunicationHook.BucketSum(gradients.storage(), type, scratch, group, mode));
    }

    /// Waits for the sum; returns the number of ranks with a non-finite gradient.
    int await() {
        PendingAllreduce p = pending;
        if (p == null) throw new IllegalStateException("a bucket that was not started");
        p.await();
        return gradients.markCount();
    }

    /// Returns whether this rank's gradient has a non-finite number.
    boolean isNonFinite(int place) {
        return gradients instanceof DeferredBucket later ? !later.wasFinite(place) : nonFinite[place];
    }

    /// Adds the names of the parameters with non-finite sums to `overflown`.
    void addOverflown(List<String> overflown) {
        if (isSingleRank || gradients.isFinite()) return;
        List<Tensor> tensors = model.parameters();
        for (int place = 0; place < parameters.length; place++) {
            if (!gradients.isFinite(place))
                overflown.add(tensors.get(parameters[place]).name());
        }
    }

    /// Multiplies all sums.
    void scale(double factor) {
        if (factor != 1) gradients.scale(factor);
    }

    /// Copies the sum to the gradient of the parameter at index `place`.
    void take(int place) {
        gradients.take(place);
    }

    /// Prepares the bucket for the next step.
    void clear() {
        pending = null;
        missing = parameters.length;
        Arrays.fill(there, false);
        Arrays.fill(nonFinite, false);
    }
}
