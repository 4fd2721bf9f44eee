package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/// Checks the arguments of the operators into which `run_decompositions` decomposes batch norm. libtorch checks
/// only the arguments of `aten::batch_norm`. The other operators read beyond the end of short tensors.
final class BatchNormSizes {
    /// Indices of arguments; the input, weight and bias precede these arguments.
    private static final int MEAN = 3, VARIANCE = 4, TRAINING = 5;

    private BatchNormSizes() {}

    /// @param arguments in the order of the operator's schema
    /// @throws IllegalArgumentException if a tensor does not have one element for each channel of the input, or
    ///     has a different type (`F32` is allowed for a 16-bit input), or if there are no running means for an
    ///     evaluation
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            Tensor input = arguments[0].toTensor();
            if (input.dim() < 2) throw new IllegalArgumentException("the input has " + input.dim() + " dimensions");
            boolean hasMeans = arguments[MEAN].isTensor() && arguments[VARIANCE].isTensor();
            // an operator without running means has the training flag at the index of the mean
            IValue flag = arguments[MEAN].isBool() ? arguments[MEAN] : arguments[TRAINING];
            if (!hasMeans && !(flag.isBool() && flag.toBool()))
                throw new IllegalArgumentException("there are no running means for an evaluation");
            for (int i = 1; i <= VARIANCE; i++) {
                if (!arguments[i].isTensor()) continue;
                Tensor tensor = arguments[i].toTensor();
                if (!tensor.defined()) continue;
                if (tensor.dim() != 1 || tensor.size(0) != input.size(1)) {
                    throw new IllegalArgumentException("argument " + i + " has " + tensor.numel() + " elements in "
                            + tensor.dim() + " dimensions for an input of " + input.size(1) + " channels");
                }
                ScalarType type = tensor.scalar_type().intern(),
                        of = input.scalar_type().intern();
                boolean isMixed = type == ScalarType.Float && (of == ScalarType.BFloat16 || of == ScalarType.Half);
                if (type != of && !isMixed)
                    throw new IllegalArgumentException("argument " + i + " is " + type + ", and the input " + of);
            }
        }
    }
}
