package org.tutti.train.model;

import java.lang.foreign.MemorySegment;

/// A tensor and where its numbers lie: one after the other, the last dimension's first, in the machine's
/// byte order.
public record Tensor(TensorSpec spec, MemorySegment data) {
    public Tensor {
        if (data.byteSize() != spec.bytes()) {
            throw new IllegalArgumentException(
                    spec + " has " + spec.bytes() + " bytes, and the memory given for it " + data.byteSize());
        }
    }

    public String name() {
        return spec.name();
    }
}
