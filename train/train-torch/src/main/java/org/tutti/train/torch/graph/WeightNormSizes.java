package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;

/// Checks the arguments of weight normalization. If the magnitude has too few elements, libtorch reads beyond
/// its end.
final class WeightNormSizes {
    private WeightNormSizes() {}

    /// @param arguments direction, magnitude, dimension
    /// @throws IllegalArgumentException if the magnitude does not have one element for each index of the
    ///     dimension, or has a different type than the direction
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            Tensor direction = arguments[0].toTensor(), magnitude = arguments[1].toTensor();
            long dimension = arguments[2].toInt(), last = direction.dim() - 1;
            if (dimension < -1 || dimension > last) {
                throw new IllegalArgumentException(
                        "dimension " + dimension + " of a weight of " + direction.dim() + " dimensions");
            }
            long wanted = dimension < 0 ? 1 : direction.size(dimension);
            if (magnitude.numel() == wanted
                    && magnitude.scalar_type().intern()
                            == direction.scalar_type().intern()) return;
            throw new IllegalArgumentException("the magnitude has " + magnitude.numel() + " elements of "
                    + magnitude.scalar_type().intern() + "; the weight needs " + wanted + " of "
                    + direction.scalar_type().intern());
        }
    }
}
