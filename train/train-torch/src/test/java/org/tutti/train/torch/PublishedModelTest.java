package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.junit.jupiter.api.Test;
import org.tutti.train.checkpoint.ModelFiles;
import org.tutti.train.model.Tensor;
import org.tutti.train.torch.tensor.LibTorch;

/// A model is loaded into a module. Python's safetensors package has written it in two files, with floats of 16
/// and 8 bits.
class PublishedModelTest {
    private static final Path MODEL = Path.of("../train/src/test/resources/safetensors/sharded");

    private static final class Net extends Module {
        Net() {
            register_module("fc1", new LinearImpl(2, 3));
            register_module("fc2", new LinearImpl(3, 1));
        }
    }

    @Test
    void shortTypesBecomeTheModulesOwn() throws IOException {
        LibTorch.load();
        TorchModel model = TorchModel.of(new Net());
        try (Arena arena = Arena.ofConfined()) {
            model.load(ModelFiles.read(MODEL, arena).mapNames(name -> name.replaceFirst("^model[.]", "")));
        }
        assertThat(model.parameters())
                .extracting(t -> t.spec().toString())
                .containsExactly("fc1.weight F32[3, 2]", "fc1.bias F32[3]", "fc2.weight F32[1, 3]", "fc2.bias F32[1]");
        float[][] expected = {
            {0.5f, -1.5f, 2, 3, -0.25f, 1.0078125f}, {0.5f, 0.25f, -65504}, {1, -2.5f, 448}, {0.15625f}
        };
        for (int i = 0; i < expected.length; i++) {
            Tensor t = model.parameters().get(i);
            assertThat(t.data().toArray(ValueLayout.JAVA_FLOAT))
                    .as("%s", t.spec())
                    .isEqualTo(expected[i]);
        }
    }
}
