package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The view of a model that data parallelism needs. Parameters are numbered from 0 in the same order on all
/// ranks, such as the order of layers in forward. A model with numbers read and written by Java is a [CpuModel].
public interface DataParallelModel {
    /// Returns the trained parameters.
    List<Tensor> parameters();

    /// Returns tensors that are not trained but change during training, for example running means.
    default List<Tensor> buffers() {
        return List.of();
    }

    /// Returns the frozen parameters: tensors that do not change during training.
    default List<Tensor> frozen() {
        return List.of();
    }

    /// Returns whether backward has reached parameter `i` since the gradients were last discarded.
    boolean hasGradient(int i);

    /// Multiplies the gradient of parameter `i`, which must exist.
    void scaleGradient(int i, double factor);

    /// Returns the sum of the squares of the gradient of parameter `i`, which must exist.
    double squaredNorm(int i);

    /// As [#squaredNorm(int)], for several parameters together.
    default double squaredNorm(List<Integer> parameters) {
        double squares = 0;
        for (int i : parameters) squares += squaredNorm(i);
        return squares;
    }

    /// Creates the bucket for the sums of gradients of some parameters of a single type.
    ///
    /// @param parameters parameter indices, in the order of the bucket
    /// @param memory allocates zeroed CPU memory of a given size, in the location that is fastest for messages;
    ///     null with one rank, which sends no gradients
    /// @throws IllegalArgumentException if gradients of that type cannot be averaged
    GradientBucket createBucket(List<Integer> parameters, @Nullable LongFunction<MemorySegment> memory);

    /// Sets the listener that is notified when the gradient of a parameter is final, in place of the previous
    /// listener. Returns false if the model cannot notify, so that all gradients are read after backward. The
    /// caller must keep a reference to the listener, because the model may hold only a weak reference.
    default boolean setGradientListener(GradientListener listener) {
        return false;
    }

    /// Removes this listener; a different current listener remains.
    default void removeGradientListener(GradientListener listener) {}

    /// Returns a number that changes when the program writes a parameter. The default implementation reads some
    /// numbers of the parameters in CPU memory; it ignores parameters on a device.
    default long parameterVersion() {
        return ParameterSample.hash(parameters());
    }

    /// Begins a step; closing the result frees the memory of the step.
    ///
    /// @throws org.tutti.train.TrainingException if the model has changed: for example, if a frozen parameter
    ///     is to be trained now
    default AutoCloseable openStep() {
        return () -> {};
    }
}
