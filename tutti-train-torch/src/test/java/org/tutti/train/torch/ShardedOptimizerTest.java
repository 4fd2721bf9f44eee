package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.BUCKETS;
import static org.tutti.train.torch.Trials.onRanks;

import java.lang.foreign.Arena;
import java.nio.file.Path;
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
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.Trials.Net;

final class ShardedOptimizerTest {
    private static List<float[]> train(ProcessGroup group, boolean sharded) {
        Net net = new Net(3);
        TorchModel model = TorchModel.of(net);
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group, BUCKETS);
        ReplicaGuard guard = ReplicaGuard.every(10, group);
        Adam whole = new Adam(net.parameters(), new AdamOptions(1e-2));
        try (ShardedOptimizer parts =
                ShardedOptimizer.of(model, group, share -> new Adam(share, new AdamOptions(1e-2)))) {
            for (int k = 0; k < 30; k++) {
                if (k == 20) parts.learningRate(1e-3);
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

    private static void steps(ProcessGroup group, Net net, ShardedOptimizer optimizer, int from, int to) {
        try (DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS)) {
            for (int k = from; k < to; k++) {
                try (Step step = ddp.step(1)) {
                    optimizer.zeroGrad();
                    net.loss(3 * k + group.rank()).backward();
                    step.sync();
                    optimizer.step();
                }
            }
        }
    }

    private static ShardedOptimizer adam(Net net, ProcessGroup group) {
        return ShardedOptimizer.of(TorchModel.of(net), group, share -> new Adam(share, new AdamOptions(1e-2)));
    }

    @Test
    void itGoesOnFromACheckpoint(@TempDir Path directory) {
        List<float[]> straight = onRanks(3, group -> {
                    Net net = new Net(1);
                    ShardedOptimizer optimizer = adam(net, group);
                    steps(group, net, optimizer, 0, 10);
                    Safetensors state = TorchState.of(net, optimizer, Map.of(), group);
                    if (group.rank() == 0) Checkpoints.in(directory).save(10, state);
                    steps(group, net, optimizer, 10, 20);
                    return net.parameterValues();
                })
                .getFirst();
        List<List<float[]>> resumed = onRanks(3, group -> {
            Net net = new Net(9);
            ShardedOptimizer optimizer = adam(net, group);
            try (Arena arena = Arena.ofShared()) {
                TorchState.restore(
                        Checkpoints.in(directory).newest(group, arena).state(), net, optimizer, group);
                steps(group, net, optimizer, 10, 20);
            }
            return net.parameterValues();
        });
        for (List<float[]> one : resumed) {
            for (int p = 0; p < straight.size(); p++) assertThat(one.get(p)).isEqualTo(straight.get(p));
        }
        onRanks(2, group -> {
            Net net = new Net(9);
            try (Arena arena = Arena.ofShared()) {
                Safetensors state =
                        Checkpoints.in(directory).newest(group, arena).state();
                assertThatThrownBy(() -> TorchState.restore(state, net, adam(net, group), group))
                        .hasMessage(
                                "the checkpoint has an optimizer's memory in 3 parts, and there are 2 ranks; restore it on"
                                        + " as many, or the module alone");
                TorchState.restore(state, net, null);
                assertThatThrownBy(
                                () -> TorchState.restore(state, net, new Adam(net.parameters(), new AdamOptions(1e-2))))
                        .hasMessageContaining("the checkpoint has no optimizer");
            }
            return true;
        });
    }

    @Test
    void eachRankHasTheMemoryOfItsShareAlone() {
        onRanks(4, group -> {
            org.bytedeco.pytorch.Module net = new org.bytedeco.pytorch.Module();
            for (int i = 0; i < 8; i++) net.register_module("layer" + i, new LinearImpl(30, 30));
            TorchModel model = TorchModel.of(net);
            long[] mine = {0};
            try (ShardedOptimizer optimizer = ShardedOptimizer.of(model, group, share -> {
                for (long i = 0; i < share.size(); i++) mine[0] += share.get(i).numel();
                return new Adam(share, new AdamOptions(1e-2));
            })) {
                assertThat(optimizer.own()).isNotNull();
                assertThat(group.sum(mine[0])).isEqualTo(8 * 930);
                assertThat((double) mine[0] / (8 * 930)).isLessThanOrEqualTo(0.3);
            }
            return true;
        });
        onRanks(3, group -> {
            LinearImpl net = new LinearImpl(2, 1);
            try (ShardedOptimizer optimizer =
                    ShardedOptimizer.of(TorchModel.of(net), group, share -> new Adam(share, new AdamOptions(1e-2)))) {
                assertThat(optimizer.own() == null).isEqualTo(group.rank() == 2);
                optimizer.zeroGrad();
                optimizer.step(); // nothing has a gradient, nothing changes
            }
            return true;
        });
    }
}
