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
import org.tutti.train.TrainingException;
import org.tutti.train.torch.graph.file.EditedArchive;
import org.tutti.train.torch.tensor.LibTorch;

/// Refuses the arguments of an LSTM with which libtorch would write outside of the tensors' memory.
final class LstmSizesTest {
    @TempDir
    private Path directory;

    @BeforeAll
    static void useOneThread() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    private void assertRefused(String from, String to, String problem) throws IOException {
        EditedArchive archive = EditedArchive.of("lstm").replace(EditedArchive.MODEL, from, to);
        GraphModel model = GraphModel.read(EditedArchive.write(archive.stored(), directory));
        Map<String, Tensor> inputs = PythonFigures.of("lstm").tensors("in.");

        assertThatThrownBy(() -> model.run(inputs))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("node lstm (architectures.py:")
                .hasMessageEndingWith(problem);
    }

    @Test
    void otherBatch() throws IOException {
        assertRefused(
                "\"batch_first\", \"arg\": {\"as_bool\": true}",
                "\"batch_first\", \"arg\": {\"as_bool\": false}",
                "the hidden state is 4 x 4 x 12 instead of 4 x 8 x 12 for an input of 4 x 8 x 8");
    }

    @Test
    void otherNumberOfLayers() throws IOException {
        assertRefused(
                "\"num_layers\", \"arg\": {\"as_int\": 2}",
                "\"num_layers\", \"arg\": {\"as_int\": 3}",
                "16 weights for 6 layers and directions");
    }

    @Test
    void otherWeight() throws IOException {
        assertRefused(
                "{\"name\": \"p_lstm_weight_ih_l0\"}, {\"name\": \"p_lstm_weight_hh_l0\"}",
                "{\"name\": \"p_lstm_weight_ih_l0\"}, {\"name\": \"p_lstm_weight_ih_l0\"}",
                "weight 1 is 48 x 8 instead of 48 x 12 for an input of 4 x 8 x 8");
    }
}
