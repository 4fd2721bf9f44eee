package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.onRanks;
import static org.tutti.train.torch.Trials.train;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Checkpoints.Loaded;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.torch.Trials.Net;

final class TorchStateTest {
    @TempDir
    Path directory;

    private static SGD sgd(Net net) {
        SGDOptions options = new SGDOptions(0.05);
        options.momentum().put(0.9);
        return new SGD(net.parameters(), options);
    }

    private static Adam adam(Net net) {
        return new Adam(net.parameters(), new AdamOptions(1e-2));
    }

    @Test
    void trainingGoesOnExactlyWhereItWas() {
        List<Function<Net, Optimizer>> optimizers = List.of(TorchStateTest::sgd, TorchStateTest::adam);
        for (int o = 0; o < optimizers.size(); o++) {
            Function<Net, Optimizer> made = optimizers.get(o);
            Path here = directory.resolve("" + o);
            List<float[]> straight = onRanks(3, group -> {
                        Net net = new Net(1);
                        train(net, made.apply(net), group, 0, 40);
                        return net.parameterValues();
                    })
                    .getFirst();
            onRanks(3, group -> {
                Net net = new Net(1);
                Optimizer optimizer = made.apply(net);
                train(net, optimizer, group, 0, 25);
                if (group.rank() == 0) {
                    Checkpoints.in(here).save(25, TorchState.of(net, optimizer, Map.of("epoch", "2")));
                }
                return true;
            });
            List<float[]> resumed = onRanks(3, group -> {
                        Net net = new Net(99);
                        Optimizer optimizer = made.apply(net);
                        try (Arena arena = Arena.ofShared()) {
                            Loaded loaded = Checkpoints.in(here).newest(group, arena);
                            TorchState.restore(loaded.state(), net, optimizer);
                            assertThat(loaded.state().metadata()).containsEntry("epoch", "2");
                            train(net, optimizer, group, (int) loaded.step(), 40);
                        }
                        return net.parameterValues();
                    })
                    .getFirst();
            for (int p = 0; p < straight.size(); p++) assertThat(resumed.get(p)).isEqualTo(straight.get(p));
        }
    }

    /// On which dropout depends; of a rank that was not there, nothing is known.
    @Test
    void randomNumbersGoOnWhereTheyWere() {
        LibTorch.load();
        Net net = new Net(1);
        SGD optimizer = sgd(net);
        torch.manual_seed(5);
        Safetensors state = TorchState.of(net, optimizer, Map.of());
        assertThat(state.tensor("generator.0").spec().type()).isEqualTo(DType.U8);
        float[] drawn = numbers();
        TorchState.restore(state, net, optimizer);
        assertThat(numbers()).isEqualTo(drawn);
        TorchState.restore(TorchState.of(net, null, Map.of()), net, null);
        assertThat(numbers()).isNotEqualTo(drawn);
    }

    private static float[] numbers() {
        return Tensors.memory(torch.rand(8)).toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void aCheckpointOfAnotherModuleChangesNothing() {
        LibTorch.load();
        Net net = new Net(1);
        Safetensors state = TorchState.of(new LinearImpl(3, 2), null, Map.of());
        List<float[]> before = net.parameterValues();
        assertThatThrownBy(() -> TorchState.restore(state, net, sgd(net)))
                .isInstanceOf(TrainingException.class)
                .hasMessage("the checkpoint is of another module: the module has no weight F32[2, 3]; the module has no"
                        + " bias F32[2]; the checkpoint has no hidden.weight F32[32, 20]; the checkpoint has no hidden.bias"
                        + " F32[32]; the checkpoint has no out.weight F32[5, 32]; the checkpoint has no out.bias F32[5];"
                        + " the checkpoint has no optimizer");
        for (int p = 0; p < before.size(); p++)
            assertThat(net.parameterValues().get(p)).isEqualTo(before.get(p));
        assertThatThrownBy(() -> TorchState.restore(
                        TorchState.of(new LinearImpl(3, 2), null, Map.of()), new LinearImpl(2, 3), null))
                .hasMessageContaining("weight F32[3, 2] is weight F32[2, 3] in the checkpoint");
    }
}
