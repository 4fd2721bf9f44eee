package org.tutti.train.torch.graph;

import java.util.stream.LongStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;

/// Checks the arguments of `aten::lstm.input`. PyTorch has these checks in Python, but libtorch does not: with
/// wrong sizes, libtorch reads and writes outside of the tensors.
///
///     input                    time x batch x features; batch first if requested
///     hidden state, cell       layers · directions x batch x size
///     of each layer and direction: 4 · size x features, 4 · size x size; biases of 4 · size; a projection
final class LstmSizes {
    private static final int INPUT = 0, STATES = 1, WEIGHTS = 2, HAS_BIASES = 3, LAYERS = 4, BIDIRECTIONAL = 7;
    private static final int BATCH_FIRST = 8, GATES = 4;

    private LstmSizes() {}

    /// @param arguments in the order of the operator's schema
    /// @throws IllegalArgumentException if a tensor has a wrong size or type
    static void check(IValue[] arguments) {
        try (PointerScope scope = new PointerScope()) {
            Tensor input = arguments[INPUT].toTensor();
            TensorVector states = arguments[STATES].toTensorVector(), weights = arguments[WEIGHTS].toTensorVector();
            boolean hasBiases = arguments[HAS_BIASES].toBool(), isBatchFirst = arguments[BATCH_FIRST].toBool();
            long layers = arguments[LAYERS].toInt(), directions = arguments[BIDIRECTIONAL].toBool() ? 2 : 1;
            require(input.dim() == 3, "the input has " + input.dim() + " dimensions instead of 3");
            require(states.size() == 2, "there are " + states.size() + " states instead of 2");
            require(layers > 0 && layers <= weights.size(), layers + " layers with " + weights.size() + " weights");
            Tensor hidden = states.get(0), cell = states.get(1);
            require(hidden.dim() == 3 && cell.dim() == 3, "a state does not have 3 dimensions");
            long each = weights.size() / (layers * directions);
            boolean isProjected = each == (hasBiases ? 5 : 3);
            require(
                    weights.size() == each * layers * directions && (isProjected || each == (hasBiases ? 4 : 2)),
                    weights.size() + " weights for " + layers * directions + " layers and directions");
            long batch = input.size(isBatchFirst ? 0 : 1), size = cell.size(2), output = hidden.size(2);
            require(isProjected || output == size, "the states have the sizes " + output + " and " + size);
            requireSizes("the hidden state", hidden, input, layers * directions, batch, output);
            requireSizes("the cell", cell, input, layers * directions, batch, size);
            for (long i = 0; i < layers * directions; i++) {
                long features = i < directions ? input.size(2) : output * directions, at = i * each;
                requireSizes("weight " + at, weights.get(at), input, GATES * size, features);
                requireSizes("weight " + (at + 1), weights.get(at + 1), input, GATES * size, output);
                for (long bias = at + 2; hasBiases && bias < at + 4; bias++)
                    requireSizes("weight " + bias, weights.get(bias), input, GATES * size);
                long last = at + each - 1;
                if (isProjected) requireSizes("weight " + last, weights.get(last), input, output, size);
            }
        }
    }

    private static void requireSizes(String name, Tensor tensor, Tensor input, long... sizes) {
        boolean isSame = tensor.dim() == sizes.length;
        for (int i = 0; isSame && i < sizes.length; i++) isSame = tensor.size(i) == sizes[i];
        require(
                isSame,
                name + " is " + shape(sizes(tensor)) + " instead of " + shape(sizes) + " for an input of "
                        + shape(sizes(input)));
        ScalarType type = tensor.scalar_type().intern(),
                wanted = input.scalar_type().intern();
        require(
                type == wanted || torch.is_autocast_enabled(DeviceType.CPU),
                name + " is " + type + ", and the input " + wanted);
    }

    private static long[] sizes(Tensor tensor) {
        return LongStream.range(0, tensor.dim()).map(tensor::size).toArray();
    }

    private static String shape(long... sizes) {
        StringBuilder text = new StringBuilder();
        for (long size : sizes) text.append(text.isEmpty() ? "" : " x ").append(size);
        return text.toString();
    }

    private static void require(boolean isTrue, String problem) {
        if (!isTrue) throw new IllegalArgumentException(problem);
    }
}
