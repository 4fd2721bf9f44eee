package org.tutti.train.model;

import java.lang.foreign.MemorySegment;

/// A tensor and the storage of the numbers: contiguous, the last dimension varies fastest, in native byte
/// order.
public record Tensor(TensorSpec spec, TensorStorage storage) {
    public Tensor {
        if (storage.sizeBytes() != spec.sizeBytes()) {
            throw new IllegalArgumentException(
                    spec + " has " + spec.sizeBytes() + " bytes, and the memory given for it " + storage.sizeBytes());
        }
    }

    /// Creates a tensor on the CPU.
    public Tensor(TensorSpec spec, MemorySegment data) {
        this(spec, TensorStorage.of(data));
    }

    public String name() {
        return spec.name();
    }

    /// Returns the memory of a tensor on the CPU.
    ///
    /// @throws IllegalStateException if it is on a device
    public MemorySegment data() {
        return storage.memory(spec.name());
    }
}
