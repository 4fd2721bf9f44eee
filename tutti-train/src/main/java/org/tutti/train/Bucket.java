package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup.Pending;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorSpec;

/// Some gradients on their way.
///
///     | gradient | gradient | … | spoilt |      elements of one type; the last counts ranks that put in
///                                               something that is no finite number
///
/// [#put] each, [#start] when it [#isFull], [#await], [#take] each, [#clear].
///
/// Where a rank is alone nothing travels, and gradients stay where they are.
final class Bucket {
    private final DType type;
    private final int[] parameters;
    private final long[] offsets;

    /// Null where a rank is alone.
    private final @Nullable MemorySegment memory;

    private final boolean[] there;
    private int missing;
    private boolean spoilt;
    private @Nullable Pending pending;

    /// @param of null for a rank that is alone
    Bucket(List<TensorSpec> all, List<Integer> chosen, @Nullable GroupMemory of) {
        type = all.get(chosen.getFirst()).type();
        parameters = chosen.stream().mapToInt(i -> i).toArray();
        offsets = new long[parameters.length + 1];
        for (int k = 0; k < parameters.length; k++)
            offsets[k + 1] = offsets[k] + all.get(parameters[k]).bytes();
        memory = of == null ? null : of.allocate(bytes());
        there = new boolean[parameters.length];
        missing = parameters.length;
    }

    /// The parameters whose gradients it carries, by number.
    int[] parameters() {
        return parameters.clone();
    }

    /// In bytes, all that travels.
    long bytes() {
        return offsets[parameters.length] + type.bytes();
    }

    boolean isFull() {
        return missing == 0;
    }

    boolean has(int place) {
        return there[place];
    }

    /// Puts the gradient of its parameter number `place` in, times `weight`; zeros for null.
    void put(int place, @Nullable MemorySegment gradient, double weight) {
        MemorySegment all = memory;
        if (all == null) {
            spoilt |= gradient != null && !Numbers.allFinite(gradient, type);
        } else {
            MemorySegment slot = slot(all, place);
            if (gradient == null) slot.fill((byte) 0);
            else spoilt |= !Numbers.scale(gradient, slot, type, weight);
        }
        if (!there[place]) missing--;
        there[place] = true;
    }

    private MemorySegment slot(MemorySegment all, int place) {
        return all.asSlice(offsets[place], offsets[place + 1] - offsets[place]);
    }

    /// Sends it on its way.
    void start(ProcessGroup group, boolean busily) {
        MemorySegment all = memory;
        if (all == null) {
            pending = () -> {};
            return;
        }
        long last = offsets[parameters.length];
        if (type == DType.F32) all.set(JAVA_FLOAT, last, spoilt ? 1 : 0);
        else all.set(JAVA_DOUBLE, last, spoilt ? 1 : 0);
        pending = group.startAllreduce(all, type, busily);
    }

    boolean isStarted() {
        return pending != null;
    }

    /// Waits until it is there; how many ranks have spoilt it.
    int await() {
        Pending p = pending;
        if (p == null) throw new IllegalStateException("a bucket that was not started");
        p.await();
        MemorySegment all = memory;
        if (all == null) return spoilt ? 1 : 0;
        return (int) Numbers.get(all, type, offsets[parameters.length]);
    }

    /// Fills in the sum of parameter number `place`, times `factor`; whether all sums were finite.
    boolean take(int place, MemorySegment gradient, double factor) {
        MemorySegment all = memory;
        if (all != null) return Numbers.scale(slot(all, place), gradient, type, factor);
        return factor == 1 || Numbers.scale(gradient, gradient, type, factor);
    }

    /// For the next step.
    void clear() {
        pending = null;
        spoilt = false;
        missing = parameters.length;
        Arrays.fill(there, false);
    }
}
