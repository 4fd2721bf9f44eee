package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.LongVector;
import org.bytedeco.pytorch.Tensor;

/// Checks the arguments of `reflection_pad3d`. If the padding does not fit, libtorch reads outside of the
/// volume.
final class PaddingSizes {
    private static final int DIMENSIONS = 3;

    private PaddingSizes() {}

    /// @param arguments in the order of the operator's schema
    /// @throws IllegalArgumentException if the input is not a volume, or a padding is negative or too large
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            Tensor input = arguments[0].toTensor();
            LongVector padding = arguments[1].toIntVector();
            if (input.dim() != DIMENSIONS + 1 && input.dim() != DIMENSIONS + 2)
                throw new IllegalArgumentException("the input has " + input.dim() + " dimensions");
            if (padding.size() != 2 * DIMENSIONS)
                throw new IllegalArgumentException("there are " + padding.size() + " paddings for 3 dimensions");
            for (int i = 0; i < padding.size(); i++) {
                long size = input.size(input.dim() - 1 - i / 2); // begins with the last dimension
                if (padding.get(i) >= 0 && padding.get(i) < size) continue;
                throw new IllegalArgumentException("padding " + i + " is " + padding.get(i) + " for a size of " + size
                        + "; must be 0 to size - 1");
            }
        }
    }
}
