package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.BUCKETS;
import static org.tutti.train.torch.Trials.onRanks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.Trials.Net;

final class ShardedOptimizerTest {
    private static List<float[]> train(ProcessGroup group, boolean sharded) {
        Net net = new Net(3);
        TorchModel model = TorchModel.of(net);
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group, BUCKETS);
        ReplicaGuard guard = ReplicaGuard.of(group, 10);
        Adam whole = new Adam(net.parameters(), new AdamOptions(1e-2));
        try (ShardedOptimizer parts =
                ShardedOptimizer.of(model, group, share -> new Adam(share, new AdamOptions(1e-2)))) {
            for (int k = 0; k < 30; k++) {
                if (k == 20) parts.setLearningRate(1e-3);
                if (k == 20) LearningRate.set(whole, 1e-3);
                try (Step step = ddp.step(3)) {
                    if (sharded) parts.zeroGrad();
                    else whole.zero_grad();
                    int first = 12 * (k % 10) + 3 * group.rank();
                    net.loss(first, first + 1, first + 2).backward();
                    step.sync();
                    if (sharded) parts.step();
                    else whole.step();
                    guard.check(k, model);
                }
            }
        }
        return net.parameterValues();
    }

    @Test
    void parametersAreTheSameBitsAsByOneOptimizer() {
        for (int size : new int[] {1, 2, 4}) {
            List<float[]> whole = onRanks(size, g -> train(g, false)).getFirst();
            for (List<float[]> one : onRanks(size, g -> train(g, true))) {
                for (int p = 0; p < whole.size(); p++)
                    assertThat(one.get(p)).as("%d ranks", size).isEqualTo(whole.get(p));
            }
        }
    }

    /// Runs steps with global batches of 12, for any number of ranks.
    private static void steps(ProcessGroup group, Net net, Runnable zeroGrad, Runnable step, int from, int to) {
        try (DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS)) {
            int mine = 12 / group.size();
            for (int k = from; k < to; k++) {
                try (Step s = ddp.step(mine)) {
                    zeroGrad.run();
                    int[] samples = new int[mine];
                    for (int i = 0; i < mine; i++) samples[i] = 12 * (k % 10) + mine * group.rank() + i;
                    net.loss(samples).backward();
                    s.sync();
                    step.run();
                }
            }
        }
    }

    private static void steps(ProcessGroup group, Net net, ShardedOptimizer optimizer, int from, int to) {
        steps(group, net, optimizer::zeroGrad, optimizer::step, from, to);
    }

    private static ShardedOptimizer adam(Net net, ProcessGroup group) {
        return ShardedOptimizer.of(TorchModel.of(net), group, share -> new Adam(share, new AdamOptions(1e-2)));
    }

    private static void assertSame(List<float[]> one, List<float[]> other, String what) {
        for (int p = 0; p < one.size(); p++) assertThat(one.get(p)).as(what).isEqualTo(other.get(p));
    }

    /// With the same number of ranks, the result has the same bits as an uninterrupted training. With a
    /// different number, the restored state has the same bits.
    @Test
    void itGoesOnFromACheckpointOfAnyNumberOfRanks(@TempDir Path directory) {
        for (int size : new int[] {4, 2}) {
            Path here = directory.resolve("" + size);
            List<float[]> straight = onRanks(size, group -> {
                        Net net = new Net(1);
                        ShardedOptimizer optimizer = adam(net, group);
                        Checkpoints checkpoints = Checkpoints.open(here);
                        steps(group, net, optimizer, 0, 10);
                        checkpoints.saveAsync(10, TorchState.of(net, optimizer, Map.of("epoch", "1"), group), group);
                        steps(group, net, optimizer, 10, 20);
                        checkpoints.await();
                        return net.parameterValues();
                    })
                    .getFirst();
            // a single optimizer for the whole model, without interruption
            Map<String, byte[]> whole = onRanks(size, group -> {
                        Net net = new Net(1);
                        Adam optimizer = new Adam(net.parameters(), new AdamOptions(1e-2));
                        steps(group, net, optimizer::zero_grad, optimizer::step, 0, 10);
                        return bytes(TorchState.of(net, optimizer, Map.of()));
                    })
                    .getFirst();
            for (int others : new int[] {1, 2, 3, 4}) {
                List<Map<String, byte[]>> states = onRanks(others, group -> {
                    Net net = new Net(9);
                    ShardedOptimizer optimizer = adam(net, group);
                    Safetensors restored = restore(here, net, optimizer, group);
                    assertThat(restored.metadata()).containsEntry("epoch", "1").doesNotContainKey(Checkpoints.PART);
                    Map<String, byte[]> state = bytes(TorchState.of(net, optimizer, Map.of(), group));
                    steps(group, net, optimizer, 10, 20);
                    if (others == size) assertSame(net.parameterValues(), straight, size + " ranks");
                    return state;
                });
                Map<String, byte[]> together = new HashMap<>();
                states.forEach(together::putAll);
                assertThat(together.keySet()).as("%d to %d ranks", size, others).isEqualTo(whole.keySet());
                whole.forEach((name, bytes) -> assertThat(together.get(name))
                        .as("%s, %d to %d ranks", name, size, others)
                        .isEqualTo(bytes));
            }
        }
    }

    /// Returns all tensors except the state of the random generator, which ranks that are threads share.
    private static Map<String, byte[]> bytes(Safetensors state) {
        Map<String, byte[]> bytes = new HashMap<>();
        for (Tensor t : state.tensors()) {
            if (!t.name().startsWith("generator.")) bytes.put(t.name(), t.data().toArray(ValueLayout.JAVA_BYTE));
        }
        return bytes;
    }

    private static Safetensors restore(Path from, Net net, ShardedOptimizer optimizer, ProcessGroup group)
            throws IOException {
        try (Arena arena = Arena.ofShared()) {
            Safetensors state = Checkpoints.open(from).loadNewest(group, arena).state();
            TorchState.restore(state, net, optimizer, group);
            return new Safetensors(List.of(), state.metadata());
        }
    }

    /// A ShardedOptimizer restores the state of an optimizer for all parameters, and vice versa.
    @Test
    void itGoesOnFromAndToOneOptimizerForAll(@TempDir Path directory) {
        onRanks(3, group -> {
            Net net = new Net(1), again = new Net(2), third = new Net(3);
            Adam whole = new Adam(net.parameters(), new AdamOptions(1e-2));
            steps(group, net, whole::zero_grad, whole::step, 0, 5);
            Safetensors state = TorchState.of(net, whole, Map.of());
            ShardedOptimizer parts = adam(again, group);
            TorchState.restore(state, again, parts, group);
            Checkpoints.open(directory).save(5, TorchState.of(again, parts, Map.of(), group), group);
            Adam other = new Adam(third.parameters(), new AdamOptions(1));
            try (Arena arena = Arena.ofShared()) {
                TorchState.restore(
                        Checkpoints.open(directory).loadNewest(group, arena).state(), third, other);
            }
            steps(group, net, whole::zero_grad, whole::step, 5, 10);
            steps(group, again, parts, 5, 10);
            steps(group, third, other::zero_grad, other::step, 5, 10);
            assertSame(again.parameterValues(), net.parameterValues(), "in parts");
            assertSame(third.parameterValues(), net.parameterValues(), "from parts");
            return true;
        });
    }

    /// Restores states in the former format of sharded optimizers, which has no names, and which only the same
    /// number of ranks can read.
    @Test
    void archivesOfEachRankAreReadByAsMany() {
        onRanks(3, group -> {
            Net net = new Net(1), again = new Net(2);
            ShardedOptimizer optimizer = adam(net, group), other = adam(again, group);
            steps(group, net, optimizer, 0, 5);
            List<Tensor> all =
                    new ArrayList<>(TorchState.of(net, null, Map.of()).tensors());
            for (int r = 0; r < 3; r++) {
                MemorySegment archive = TorchState.archive(optimizer.localOptimizer());
                TensorSpec spec = new TensorSpec("optimizer.archive." + r, DType.U8, List.of(archive.byteSize()));
                all.add(new Tensor(spec, archive)); // a rank reads only the archive with the rank's number
            }
            TorchState.restore(new Safetensors(all, Map.of()), again, other, group);
            steps(group, net, optimizer, 5, 10);
            steps(group, again, other, 5, 10);
            assertSame(again.parameterValues(), net.parameterValues(), "resumed");
            all.removeLast();
            assertThatThrownBy(() -> TorchState.restore(new Safetensors(all, Map.of()), again, other, group))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("the checkpoint has an optimizer's memory in 2 archives of libtorch, and there are 3"
                            + " ranks; restore it on the same number, or only the module");
            return true;
        });
    }

    @Test
    void missingTensorsOfACheckpointAreNamed() {
        onRanks(2, group -> {
            Net net = new Net(1);
            ShardedOptimizer optimizer = adam(net, group);
            Safetensors alone = TorchState.of(net, null, Map.of());
            assertThatThrownBy(() -> TorchState.restore(alone, net, optimizer, group))
                    .hasMessage("the checkpoint does not match the module: the checkpoint has no optimizer");
            if (group.rank() == 0) {
                Safetensors part = TorchState.of(net, optimizer, Map.of(), group);
                assertThatThrownBy(() -> TorchState.restore(part, net, optimizer, group))
                        .hasMessageContaining("the checkpoint has no state of an optimizer for [");
            }
            return true;
        });
    }

    @Test
    void eachRankStoresOnlyItsShare() {
        onRanks(4, group -> {
            org.bytedeco.pytorch.Module net = new org.bytedeco.pytorch.Module();
            for (int i = 0; i < 8; i++) net.register_module("layer" + i, new LinearImpl(30, 30));
            TorchModel model = TorchModel.of(net);
            long[] mine = {0};
            try (ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, share -> {
                for (long i = 0; i < share.size(); i++) mine[0] += share.get(i).numel();
                return new Adam(share, new AdamOptions(1e-2));
            })) {
                assertThat(optimizer.localOptimizer()).isNotNull();
                assertThat(group.sum(mine[0])).isEqualTo(8 * 930);
                assertThat((double) mine[0] / (8 * 930)).isLessThanOrEqualTo(0.3);
            }
            return true;
        });
        onRanks(3, group -> {
            LinearImpl net = new LinearImpl(2, 1);
            try (ShardedOptimizer optimizer =
                    ShardedOptimizer.of(TorchModel.of(net), group, share -> new Adam(share, new AdamOptions(1e-2)))) {
                assertThat(optimizer.localOptimizer() == null).isEqualTo(group.rank() == 2);
                optimizer.zeroGrad();
                optimizer.step(); // no parameter has a gradient, so none changes
            }
            return true;
        });
    }
}
