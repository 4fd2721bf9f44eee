package org.tutti.train.model;

import java.util.List;

/// The name, element type and shape of a tensor. An empty shape means one number.
public record TensorSpec(String name, DType dtype, List<Long> shape) {
    public TensorSpec {
        shape = List.copyOf(shape);
        for (long d : shape) {
            if (d < 0) throw new IllegalArgumentException(name + ": a dimension of " + d + " in " + shape);
        }
    }

    /// Returns the number of elements.
    public long count() {
        long all = 1;
        for (long d : shape) all = Math.multiplyExact(all, d);
        return all;
    }

    public long sizeBytes() {
        return Math.multiplyExact(count(), dtype.sizeBytes());
    }

    @Override
    public String toString() {
        return name + " " + dtype + shape;
    }
}
