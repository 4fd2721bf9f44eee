package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// A model as data parallelism sees it. Parameters are counted from 0 in an order that is the same on all
/// ranks, as layers are in forward. One whose numbers Java reads and writes is a [CpuModel].
public interface DataParallelModel {
    /// What is trained.
    List<Tensor> parameters();

    /// What is not trained and yet changes with training, running means for instance.
    default List<Tensor> buffers() {
        return List.of();
    }

    /// What is part of the model and stays as it is: parameters that are frozen.
    default List<Tensor> frozen() {
        return List.of();
    }

    /// Whether backward has reached parameter `i` since the gradients were last forgotten.
    boolean hasGradient(int i);

    /// Multiplies the gradient of parameter `i`, which is there.
    void scaleGradient(int i, double factor);

    /// The sum of the squares of the gradient of parameter `i`, which is there.
    double squaredNorm(int i);

    /// As [#squaredNorm(int)], of some parameters together.
    default double squaredNorm(List<Integer> parameters) {
        double squares = 0;
        for (int i : parameters) squares += squaredNorm(i);
        return squares;
    }

    /// Creates the bucket in which the gradients of some parameters of one type are summed.
    ///
    /// @param parameters their numbers, in the order of their places
    /// @param memory gives zeroed memory of so many bytes, on the CPU, where messages are fastest; null for a
    ///     rank that is alone, whose gradients do not travel
    /// @throws IllegalArgumentException when gradients of that type cannot be averaged
    GradientBucket createBucket(List<Integer> parameters, @Nullable LongFunction<MemorySegment> memory);

    /// Sets the listener that is notified of each parameter whose gradient is final; it replaces the listener before.
    /// Returns false when the model cannot notify, so that all gradients are taken after backward. The caller keeps
    /// a reference to the listener: the model may not.
    default boolean setGradientListener(GradientListener listener) {
        return false;
    }

    /// Removes this listener; another listener stays.
    default void removeGradientListener(GradientListener listener) {}

    /// Returns a number that changes when the program writes a parameter. The default depends on some numbers of each
    /// parameter in the CPU's memory, and not at all on those of a device.
    default long parameterVersion() {
        return ParameterSample.hash(parameters());
    }

    /// Begins a step; what is closed at its end frees what the step has made.
    ///
    /// @throws org.tutti.train.TrainingException when the model is not what it was: a parameter that was
    ///     frozen is to be trained, for instance
    default AutoCloseable openStep() {
        return () -> {};
    }
}
