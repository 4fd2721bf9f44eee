package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.CheckpointException;
import org.tutti.train.torch.graph.file.EditedArchive;
import org.tutti.train.torch.tensor.LibTorch;

/// Refuses operators that open files, or that libtorch calls without checks of its arguments.
final class RefusedOperatorsTest {
    @TempDir
    private Path directory;

    @BeforeAll
    static void useOneThread() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"from_file", "_sobol_engine_ff_", "mkldnn_rnn_layer", "_stack"})
    void operatorsWithoutChecksAreRefused(String name) {
        EditedArchive archive = EditedArchive.of("mlp")
                .replace(EditedArchive.MODEL, "torch.ops.aten.relu.default", "torch.ops.aten." + name + ".default");
        Path file = EditedArchive.write(archive.stored(), directory);

        assertThatThrownBy(() -> GraphModel.read(file))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining(
                        " does not have, or that a file may not call: aten::" + name + " (1 time, first in ");
    }

    /// The operator itself reads outside of a bias that is too short.
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
}
