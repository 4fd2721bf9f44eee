package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.file.EditedArchive;
import org.tutti.train.torch.tensor.LibTorch;

/// Refuses operators that open files, and operators with wrong arguments that libtorch does not check.
final class RefusedOperatorsTest {
    @TempDir
    private Path directory;

    @BeforeAll
    static void useOneThread() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"from_file", "_sobol_engine_ff_", "mkldnn_rnn_layer", "_stack", "slow_conv3d", "resize_as_"})
    void operatorsWithoutChecksAreRefused(String name) {
        EditedArchive archive = EditedArchive.of("mlp")
                .replace(EditedArchive.MODEL, "torch.ops.aten.relu.default", "torch.ops.aten." + name + ".default");
        Path file = EditedArchive.write(archive.stored(), directory);

        assertThatThrownBy(() -> GraphModel.read(file))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining(
                        " does not have, or that a file may not call: aten::" + name + " (1 time, first in ");
    }

    @Test
    void aParameterOfIntegersIsRefused() {
        EditedArchive archive = EditedArchive.of("mlp")
                .replace(
                        EditedArchive.WEIGHTS,
                        "\"tensor_meta\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 16}], \"requires_grad\": true",
                        "\"tensor_meta\": {\"dtype\": 4, \"sizes\": [{\"as_int\": 16}], \"requires_grad\": true");
        Path file = EditedArchive.write(archive.stored(), directory);

        assertThatThrownBy(() -> GraphModel.read(file))
                .isInstanceOf(CheckpointException.class)
                .hasMessageEndingWith(" is I32, and cannot require a gradient");
    }

    /// The operator reads beyond the end of a short bias.
    @Test
    void batchNormWithAShortBiasIsRefused() throws IOException {
        EditedArchive archive = EditedArchive.of("mlp")
                .replace(
                        EditedArchive.MODEL,
                        "\"torch.ops.aten.batch_norm.default\"",
                        "\"torch.ops.aten._native_batch_norm_legit.default\"")
                .replace(
                        EditedArchive.MODEL,
                        ", {\"name\": \"cudnn_enabled\", \"arg\": {\"as_bool\": false}, \"kind\": 1}]",
                        "]")
                .replace(
                        EditedArchive.MODEL,
                        "[{\"as_tensor\": {\"name\": \"batch_norm\"}}]",
                        "[{\"as_tensor\": {\"name\": \"batch_norm\"}}, {\"as_none\": true}, {\"as_none\": true}]")
                .replace(
                        EditedArchive.MODEL,
                        "{\"name\": \"bias\", \"arg\": {\"as_tensor\": {\"name\": \"p_net_1_bias\"}}",
                        "{\"name\": \"bias\", \"arg\": {\"as_tensor\": {\"name\": \"p_net_5_bias\"}}");
        GraphModel model = GraphModel.read(EditedArchive.write(archive.stored(), directory));
        Map<String, Tensor> inputs = PythonFigures.of("mlp").tensors("in.");

        assertThatThrownBy(() -> model.run(inputs))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("node batch_norm (architectures.py:")
                .hasMessageEndingWith("argument 2 has 3 elements in 1 dimensions for an input of 16 channels");
    }

    @Test
    void paddingsThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> PaddingSizes.check(padding(0, 0, 0, 0, 0, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("padding 5 is 4 for a size of 2; must be 0 to size - 1");
        assertThatThrownBy(() -> PaddingSizes.check(padding(-1, 0, 0, 0, 0, 0)))
                .hasMessage("padding 0 is -1 for a size of 4; must be 0 to size - 1");
        assertThatThrownBy(() -> PaddingSizes.check(padding(1, 1))).hasMessage("there are 2 paddings for 3 dimensions");
        PaddingSizes.check(padding(3, 3, 2, 2, 1, 1));
    }

    /// Returns the arguments for a volume of 2 x 3 x 4.
    private static IValue[] padding(long... sizes) {
        return new IValue[] {new IValue(torch.ones(1, 2, 3, 4)), CompiledArgument.integers(sizes)};
    }

    @Test
    void magnitudesThatDoNotFitTheWeightAreRefused() {
        assertThatThrownBy(() -> WeightNormSizes.check(norm(2, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the magnitude has 2 elements of Float; the weight needs 3 of Float");
        assertThatThrownBy(() -> WeightNormSizes.check(norm(3, 2)))
                .hasMessage("dimension 2 of a weight of 2 dimensions");
        WeightNormSizes.check(norm(3, 0));
        WeightNormSizes.check(norm(5, 1));
        WeightNormSizes.check(norm(1, -1));
    }

    /// Returns the arguments for a weight of 3 x 5.
    private static IValue[] norm(long elements, long dimension) {
        return new IValue[] {new IValue(torch.ones(3, 5)), new IValue(torch.ones(elements)), new IValue(dimension)};
    }
}
