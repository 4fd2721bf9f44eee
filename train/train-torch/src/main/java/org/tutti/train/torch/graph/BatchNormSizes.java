package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;

/// Checks the arguments of the operators into which `run_decompositions` decomposes batch norm. libtorch checks
/// only the arguments of `aten::batch_norm`. In the other operators, it reads beyond the end of a tensor that is too
/// short.
final class BatchNormSizes {
    /// Weight, bias and running means follow the input; other arguments are not tensors.
    private static final int LAST = 4;

    private BatchNormSizes() {}

    /// @param arguments in the order of the operator's schema
    /// @throws IllegalArgumentException if a tensor does not have one element for each channel of the input
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            Tensor input = arguments[0].toTensor();
            if (input.dim() < 2) throw new IllegalArgumentException("the input has " + input.dim() + " dimensions");
            for (int i = 1; i <= LAST; i++) {
                if (!arguments[i].isTensor()) continue;
                Tensor tensor = arguments[i].toTensor();
                if (!tensor.defined() || tensor.dim() == 1 && tensor.size(0) == input.size(1)) continue;
                throw new IllegalArgumentException("argument " + i + " has " + tensor.numel() + " elements in "
                        + tensor.dim() + " dimensions for an input of " + input.size(1) + " channels");
            }
        }
    }
}
