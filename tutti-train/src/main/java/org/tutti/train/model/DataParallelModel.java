package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A model as data parallelism sees it. Parameters are counted from 0 in an order that is the same on all
/// ranks, as layers are in forward. All memory is the CPU's.
public interface DataParallelModel {
    /// What is trained; `F32` or `F64`.
    List<Tensor> parameters();

    /// What is not trained and yet changes with training, running means for instance.
    default List<Tensor> buffers() {
        return List.of();
    }

    /// What is part of the model and stays as it is: parameters that are frozen.
    default List<Tensor> frozen() {
        return List.of();
    }

    /// Where the gradient of parameter `i` lies, as long as the parameter; null when backward has not
    /// reached it since the gradients were last forgotten. It is read and written between backward and the
    /// optimizer's step.
    @Nullable
    MemorySegment gradient(int i);

    /// As [#gradient], where there is none: makes one, of zeros.
    MemorySegment makeGradient(int i);

    /// Asks to be told of each parameter whose gradient is final, instead of who has asked before; false when
    /// the model cannot tell, so that all are taken after backward. The model does not keep the listener.
    default boolean tell(GradientListener listener) {
        return false;
    }

    /// Ends what [#tell] has begun for this listener.
    default void tellNoMore(GradientListener listener) {}

    /// Begins a step; what is closed at its end frees what the step has made.
    ///
    /// @throws org.tutti.train.TrainingException when the model is not what it was: a parameter that was
    ///     frozen is to be trained, for instance
    default AutoCloseable openStep() {
        return () -> {};
    }
}
