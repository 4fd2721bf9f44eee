package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.tutti.train.torch.Trials.onRanks;
import static org.tutti.train.torch.Trials.train;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Adagrad;
import org.bytedeco.pytorch.AdagradOptions;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.LBFGS;
import org.bytedeco.pytorch.LBFGSOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.LossClosure;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Checkpoints.LoadedCheckpoint;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.Trials.Net;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

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

    private static AdamW adamW(Net net) {
        AdamWOptions options = new AdamWOptions(1e-2);
        options.amsgrad().put(true);
        return new AdamW(net.parameters(), options);
    }

    private static RMSprop rmsprop(Net net) {
        RMSpropOptions options = new RMSpropOptions(1e-3);
        options.momentum().put(0.5);
        options.centered().put(true);
        return new RMSprop(net.parameters(), options);
    }

    private static Adagrad adagrad(Net net) {
        return new Adagrad(net.parameters(), new AdagradOptions(1e-2));
    }

    private record Trial(Function<Net, Optimizer> optimizer, String... fields) {}

    @Test
    void trainingGoesOnExactlyWhereItWas() {
        List<Trial> trials = List.of(
                new Trial(TorchStateTest::sgd, "momentum_buffer"),
                new Trial(net -> new SGD(net.parameters(), new SGDOptions(0.05))),
                new Trial(TorchStateTest::adam, "step", "exp_avg", "exp_avg_sq"),
                new Trial(TorchStateTest::adamW, "step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"),
                new Trial(TorchStateTest::rmsprop, "step", "square_avg", "momentum_buffer", "grad_avg"),
                new Trial(TorchStateTest::adagrad, "step", "sum"));
        for (int o = 0; o < trials.size(); o++) {
            Function<Net, Optimizer> made = trials.get(o).optimizer;
            String[] fields = trials.get(o).fields;
            Path here = directory.resolve("" + o);
            List<float[]> straight = onRanks(2, group -> {
                        Net net = new Net(1);
                        train(net, made.apply(net), group, 0, 40);
                        return net.parameterValues();
                    })
                    .getFirst();
            onRanks(2, group -> {
                Net net = new Net(1);
                Optimizer optimizer = made.apply(net);
                train(net, optimizer, group, 0, 20);
                LearningRate.set(optimizer, LearningRate.get(optimizer)); // sets the options to the same values
                train(net, optimizer, group, 20, 25);
                Safetensors state = TorchState.of(net, optimizer, Map.of("epoch", "2"));
                assertThat(state.tensors().stream().map(Tensor::name).filter(n -> n.startsWith("optimizer.out.bias.")))
                        .containsExactlyInAnyOrder(Stream.of(fields)
                                .map(f -> "optimizer.out.bias." + f)
                                .toArray(String[]::new));
                if (group.rank() == 0) Checkpoints.open(here).save(25, state);
                return true;
            });
            List<float[]> resumed = onRanks(2, group -> {
                        Net net = new Net(99);
                        Optimizer optimizer = made.apply(net);
                        LearningRate.set(optimizer, 5);
                        try (Arena arena = Arena.ofShared()) {
                            LoadedCheckpoint loaded = Checkpoints.open(here).loadNewest(group, arena);
                            TorchState.restore(loaded.state(), net, optimizer);
                            assertThat(loaded.state().metadata()).containsEntry("epoch", "2");
                            train(net, optimizer, group, (int) loaded.step(), 40);
                        }
                        return net.parameterValues();
                    })
                    .getFirst();
            for (int p = 0; p < straight.size(); p++)
                assertThat(resumed.get(p)).as("trial %d", o).isEqualTo(straight.get(p));
        }
    }

    /// The optimizer's state is stored as Python reads it: by name, and with the shape of the parameter.
    @Test
    void anOptimizersStateHasNames() {
        LibTorch.load();
        Net net = new Net(1);
        Adam optimizer = adam(net);
        net.loss(1, 2, 3).backward();
        optimizer.step();
        Safetensors state = TorchState.of(net, optimizer, Map.of());
        assertThat(state.tensor("optimizer.hidden.weight.step").spec())
                .isEqualTo(new TensorSpec("optimizer.hidden.weight.step", DType.I64, List.of()));
        assertThat(state.tensor("optimizer.hidden.weight.step").data().get(ValueLayout.JAVA_LONG, 0))
                .isEqualTo(1);
        assertThat(state.metadata())
                .containsEntry(
                        "optimizer.out.bias", "lr=0.01 betas=(0.9,0.999) eps=1.0E-8 weight_decay=0.0 amsgrad=False");
        float[] gradient = Tensors.memory(net.out.weight().grad()).toArray(ValueLayout.JAVA_FLOAT);
        Tensor moments = state.tensor("optimizer.out.weight.exp_avg");
        assertThat(moments.spec().shape()).isEqualTo(List.of(5L, 32L));
        float[] first = moments.data().toArray(ValueLayout.JAVA_FLOAT);
        for (int i = 0; i < first.length; i++) assertThat(first[i]).isCloseTo(0.1f * gradient[i], within(1e-6f));
        // the optimizer's memory, not a copy
        optimizer.step();
        assertThat(moments.data().toArray(ValueLayout.JAVA_FLOAT)).isNotEqualTo(first);
    }

    @Test
    void theStateOfAParameterWithoutNumbersIsSaved() {
        LibTorch.load();
        org.bytedeco.pytorch.Module module = new org.bytedeco.pytorch.Module("empty");
        module.register_parameter("none", torch.ones(0, 3));
        module.register_parameter("some", torch.ones(2));
        TensorVector all = module.parameters();
        Adam optimizer = new Adam(all, new AdamOptions(0.5));
        for (long i = 0; i < all.size(); i++) all.get(i).sum().backward();
        optimizer.step();
        Safetensors state = TorchState.of(module, optimizer, Map.of());
        assertThat(state.tensor("optimizer.none.exp_avg").spec().shape()).containsExactly(0L, 3L);
        TorchState.restore(state, module, optimizer);
        optimizer.step();
        assertThat(all.get(1).sum().item_double()).isCloseTo(0, within(1e-5)); // 1 less twice 0.5, of each
    }

    /// The optimizer also updates a tensor outside of the module, which has no name; an archive is therefore
    /// saved.
    @Test
    void anOptimizerOfOtherTensorsIsAnArchive() {
        LibTorch.load();
        Net net = new Net(1), again = new Net(2);
        Adam optimizer = withAnother(net), other = withAnother(again);
        net.loss(1, 2, 3).backward();
        optimizer.step();
        Safetensors state = TorchState.of(net, optimizer, Map.of());
        assertThat(state.tensor("optimizer.archive").spec().dtype()).isEqualTo(DType.U8);
        TorchState.restore(state, again, other);
        for (Net n : List.of(net, again)) {
            n.zero_grad(true);
            n.loss(4, 5).backward();
        }
        optimizer.step();
        other.step();
        for (int p = 0; p < net.parameterValues().size(); p++)
            assertThat(again.parameterValues().get(p))
                    .isEqualTo(net.parameterValues().get(p));
        assertThatThrownBy(() -> TorchState.restore(state, again, adam(again)))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("the optimizer cannot go on from the checkpoint: ");
    }

    private static Adam withAnother(Net net) {
        TensorVector all = net.parameters();
        all.push_back(new Net(7).out.bias());
        return new Adam(all, new AdamOptions(1e-2));
    }

    @Test
    void anotherKindOfOptimizerChangesNothing() {
        LibTorch.load();
        Net net = new Net(1), again = new Net(2);
        Adam optimizer = adam(net);
        net.loss(1, 2, 3).backward();
        optimizer.step();
        Safetensors state = TorchState.of(net, optimizer, Map.of());
        List<float[]> before = again.parameterValues();
        assertThatThrownBy(() -> TorchState.restore(state, again, sgd(again)))
                .isInstanceOf(TrainingException.class)
                .hasMessage("the optimizer cannot go on from the checkpoint: the checkpoint has the state of Adam or"
                        + " AdamW, and this optimizer is SGD; create an optimizer of the checkpoint's kind, or pass null to restore only the"
                        + " module");
        SGD bias = new SGD(new TensorVector(again.out.bias()), new SGDOptions(0.1));
        assertThatThrownBy(() -> TorchState.restore(state, again, bias))
                .hasMessage("the checkpoint does not match the module: the optimizer does not change [hidden.bias,"
                        + " hidden.weight, out.weight]");
        for (int p = 0; p < before.size(); p++)
            assertThat(again.parameterValues().get(p)).isEqualTo(before.get(p));
    }

    @Test
    void optimizersThatCannotBeSavedAreReported() {
        LibTorch.load();
        Net net = new Net(1);
        LBFGS optimizer = new LBFGS(net.parameters(), new LBFGSOptions(0.1));
        LossClosure closure = new LossClosure() {
            @Override
            public org.bytedeco.pytorch.Tensor call() {
                optimizer.zero_grad();
                org.bytedeco.pytorch.Tensor loss = net.loss(1, 2, 3);
                loss.backward();
                return loss;
            }
        };
        optimizer.step(closure);
        assertThatThrownBy(() -> TorchState.of(net, optimizer, Map.of()))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("libtorch cannot save the optimizer: ");
    }

    /// Restores a state in the old format of optimizer states.
    @Test
    void anArchiveOfAnyOptimizerIsRead() {
        LibTorch.load();
        Net net = new Net(1), again = new Net(2);
        Adam optimizer = adam(net), other = adam(again);
        net.loss(1, 2, 3).backward();
        optimizer.step();
        MemorySegment archive = TorchState.archive(optimizer);
        List<Tensor> all = new ArrayList<>(TorchState.of(net, null, Map.of()).tensors());
        all.add(new Tensor(new TensorSpec("optimizer.archive", DType.U8, List.of(archive.byteSize())), archive));
        TorchState.restore(new Safetensors(all, Map.of()), again, other);
        for (Tensor t : TorchState.of(net, optimizer, Map.of()).tensors()) {
            Tensor restored = TorchState.of(again, other, Map.of()).tensor(t.name());
            assertThat(restored.data().mismatch(t.data())).as(t.name()).isEqualTo(-1);
        }
    }

    /// A checkpoint contains the state of the random generator, on which dropout depends; without this state,
    /// the random numbers differ.
    @Test
    void randomNumbersGoOnWhereTheyWere() {
        LibTorch.load();
        Net net = new Net(1);
        SGD optimizer = sgd(net);
        torch.manual_seed(5);
        Safetensors state = TorchState.of(net, optimizer, Map.of());
        assertThat(state.tensor("generator.0").spec().dtype()).isEqualTo(DType.U8);
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
                .hasMessage(
                        "the checkpoint does not match the module: the module has no weight F32[2, 3]; the module has no"
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
