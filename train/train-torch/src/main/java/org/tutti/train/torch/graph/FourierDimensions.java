package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.LongVector;

/// Checks the dimensions of the operators into which Fourier transforms are decomposed. libtorch uses the
/// dimensions as indexes without a check.
final class FourierDimensions {
    private FourierDimensions() {}

    /// @param arguments in the order of the operator's schema
    /// @throws IllegalArgumentException if a dimension does not exist, or the list is empty
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            long count = arguments[0].toTensor().dim();
            LongVector dimensions = arguments[1].toIntVector();
            if (dimensions.empty()) throw new IllegalArgumentException("there is no dimension to transform");
            for (long i = 0; i < dimensions.size(); i++) {
                long d = dimensions.get(i);
                if (d < 0 || d >= count)
                    throw new IllegalArgumentException("dimension " + d + " of a tensor of " + count + " dimensions");
            }
        }
    }
}
