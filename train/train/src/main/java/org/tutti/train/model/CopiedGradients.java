package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// A bucket of gradients that remain in the model's memory; the bucket contains copies, which are sent.
final class CopiedGradients implements GradientBucket {
    private final CpuModel model;
    private final DType type;
    private final int[] parameters;

    /// The offsets of the gradients in the bucket, in bytes; the last element is the offset of the mark.
    private final long[] offsets;

    /// Null with one rank.
    private final @Nullable MemorySegment all;

    private boolean isMarked;

    CopiedGradients(CpuModel model, List<Integer> chosen, @Nullable LongFunction<MemorySegment> memory) {
        this.model = model;
        parameters = chosen.stream().mapToInt(i -> i).toArray();
        List<Tensor> tensors = model.parameters();
        type = tensors.get(parameters[0]).spec().dtype();
        if (type != DType.F32 && type != DType.F64) {
            throw new IllegalArgumentException(
                    "parameter " + tensors.get(parameters[0]).spec() + " cannot be averaged; F32 and F64 can");
        }
        offsets = new long[parameters.length + 1];
        for (int k = 0; k < parameters.length; k++) {
            offsets[k + 1] = offsets[k] + tensors.get(parameters[k]).spec().sizeBytes();
        }
        all = memory == null ? null : memory.apply(markAt() + type.sizeBytes());
    }

    private long markAt() {
        return offsets[parameters.length];
    }

    @Override
    public TensorStorage storage() {
        return TensorStorage.of(all == null ? MemorySegment.NULL : all);
    }

    /// Returns the bucket's copy of a gradient. With one rank, returns the model's gradient; null if none.
    private @Nullable MemorySegment numbers(int place) {
        return all == null ? model.gradient(parameters[place]) : slot(all, place);
    }

    private MemorySegment slot(MemorySegment of, int place) {
        return of.asSlice(offsets[place], offsets[place + 1] - offsets[place]);
    }

    @Override
    public void put(int place) {
        if (all == null) return;
        MemorySegment gradient = model.gradient(parameters[place]);
        if (gradient == null) slot(all, place).fill((byte) 0);
        else slot(all, place).copyFrom(gradient);
    }

    @Override
    public void take(int place) {
        MemorySegment gradient = model.gradient(parameters[place]);
        if (gradient == null) gradient = model.createGradient(parameters[place]);
        if (all != null) gradient.copyFrom(slot(all, place));
    }

    @Override
    public boolean isFinite() {
        if (all != null) return Numbers.allFinite(all.asSlice(0, markAt()), type);
        for (int place = 0; place < parameters.length; place++) if (!isFinite(place)) return false;
        return true;
    }

    @Override
    public boolean isFinite(int place) {
        MemorySegment numbers = numbers(place);
        return numbers == null || Numbers.allFinite(numbers, type);
    }

    @Override
    public void scale(double factor) {
        if (all != null) {
            Numbers.scale(all.asSlice(0, markAt()), type, factor);
            return;
        }
        for (int place = 0; place < parameters.length; place++) {
            MemorySegment numbers = numbers(place);
            if (numbers != null) Numbers.scale(numbers, type, factor);
        }
    }

    @Override
    public void setMark(boolean set) {
        isMarked = set;
        if (all != null) Numbers.set(all.asSlice(markAt()), type, 0, set ? 1 : 0);
    }

    @Override
    public int markCount() {
        if (all == null) return isMarked ? 1 : 0;
        return (int) Numbers.get(all.asSlice(markAt()), type, 0);
    }

    /// Has no effect, because the model's gradients are not stored in the memory of this bucket.
    @Override
    public void close() {}
}
