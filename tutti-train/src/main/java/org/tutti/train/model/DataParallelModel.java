package org.tutti.train.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A model as data parallelism sees it. Parameters are counted from 0 in an order that is the same on all
/// ranks, as layers are in forward. All memory is the CPU's.
public interface DataParallelModel {
    /// What is trained; `F32` or `F64`.
    List<Tensor> parameters();

    /// What is not trained and yet part of the model, running means for instance.
    default List<Tensor> buffers() {
        return List.of();
    }

    /// Where the gradient of parameter `i` lies, as long as the parameter; null when backward has not
    /// reached it since the gradients were last forgotten. It is read and written between backward and the
    /// optimizer's step.
    @Nullable
    MemorySegment gradient(int i);

    /// As [#gradient], where there is none: makes one, of zeros.
    MemorySegment makeGradient(int i);

    /// Asks to be told of each parameter whose gradient is final, during backward, on whatever thread; false
    /// when the model cannot tell, so that all are taken after backward.
    default boolean onGradientReady(IntConsumer ready) {
        return false;
    }

    /// Begins a step; what is closed at its end frees what the step has made.
    default AutoCloseable openStep() {
        return () -> {};
    }
}
