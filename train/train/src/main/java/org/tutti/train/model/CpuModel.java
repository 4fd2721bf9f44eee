package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// A model with gradients in CPU memory that Java can access, with elements of `F32` or `F64`. The gradients
/// are copied to buckets and back.
public interface CpuModel extends DataParallelModel {
    /// Returns the memory of the gradient of parameter `i`, with the size of the parameter; null if backward
    /// has not reached it since the gradients were last discarded. The memory is read and written between
    /// backward and the optimizer's step.
    @Nullable
    MemorySegment gradient(int i);

    /// As [#gradient], but creates a gradient of zeros if none exists.
    MemorySegment createGradient(int i);

    @Override
    default boolean hasGradient(int i) {
        return gradient(i) != null;
    }

    @Override
    default void scaleGradient(int i, double factor) {
        Numbers.scale(
                Objects.requireNonNull(gradient(i)), parameters().get(i).spec().dtype(), factor);
    }

    @Override
    default double squaredNorm(int i) {
        return Numbers.squares(
                Objects.requireNonNull(gradient(i)), parameters().get(i).spec().dtype());
    }

    @Override
    default GradientBucket createBucket(List<Integer> parameters, @Nullable LongFunction<MemorySegment> memory) {
        return new CopiedGradients(this, parameters, memory);
    }
}
