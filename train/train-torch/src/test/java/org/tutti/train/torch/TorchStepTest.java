package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.tutti.train.torch.Trials.BUCKETS;
import static org.tutti.train.torch.Trials.onRanks;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Checkpoints.LoadedCheckpoint;
import org.tutti.train.torch.Trials.Net;
import org.tutti.train.torch.tensor.LibTorch;

/// Tests calls of a step in the wrong order, with a module of libtorch, and a TorchScript module that continues
/// from a checkpoint.
final class TorchStepTest {
    @Test
    void aStepWithoutSyncThrowsOnEveryRank() {
        onRanks(2, group -> {
            Net net = new Net(1);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            net.loss(group.rank()).backward();
                            optimizer.step();
                        }
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("step(1) was closed without sync(): ");
            return true;
        });
    }

    @Test
    void gradientsThatAreForgottenAfterAccumulateDoNotCount() {
        for (int way = 0; way < 4; way++) {
            int how = way;
            List<List<float[]>> all = onRanks(2, group -> {
                Net net = new Net(1);
                DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
                SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
                for (int k = 0; k < 2; k++) {
                    if (how > 0) {
                        try (Step step = ddp.accumulate(3)) {
                            net.loss(10 + group.rank(), 20, 30).backward();
                        }
                    }
                    if (how == 1) optimizer.zero_grad();
                    if (how == 2) optimizer.zero_grad(false);
                    try (Step step = ddp.step(1)) {
                        if (how == 3) optimizer.zero_grad();
                        net.loss(group.rank()).backward();
                        step.sync();
                        optimizer.step();
                    }
                    optimizer.zero_grad();
                }
                return net.parameterValues();
            });
            List<float[]> expected = onRanks(2, group -> {
                        Net net = new Net(1);
                        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
                        SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
                        for (int k = 0; k < 2; k++) {
                            try (Step step = ddp.step(1)) {
                                net.loss(group.rank()).backward();
                                step.sync();
                                optimizer.step();
                            }
                            optimizer.zero_grad();
                        }
                        return net.parameterValues();
                    })
                    .getFirst();
            for (List<float[]> one : all) {
                for (int p = 0; p < expected.size(); p++) {
                    assertThat(one.get(p)).as("way %d", how).containsExactly(expected.get(p), within(1e-6f));
                }
            }
        }
    }

    @Test
    void anOptimizerStepBeforeSyncIsNamed() {
        onRanks(2, group -> {
            Net net = new Net(1);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            net.loss(group.rank()).backward();
                            optimizer.step();
                            step.sync();
                        }
                    })
                    .hasMessageContaining("parameters were changed before sync() on rank 0, rank 1.");
            return true;
        });
    }

    private static Tensor loss(JitModule net, int rank, int k) {
        Tensor x = torch.full(new long[] {1, 3}, new Scalar(rank + 0.1 * k));
        return net.forward(new IValueVector(new IValue(x))).toTensor().square().sum();
    }

    private static void train(JitModule net, Adam optimizer, ProcessGroup group, int from, int to) {
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        for (int k = from; k < to; k++) {
            try (Step step = ddp.step(1)) {
                optimizer.zero_grad();
                loss(net, group.rank(), k).backward();
                step.sync();
                optimizer.step();
            }
        }
    }

    @Test
    void aModuleInTorchScriptGoesOnFromACheckpoint(@TempDir Path directory) {
        LibTorch.load();
        String file = directory.resolve("net.pt").toString();
        JitModule written = new JitModule(new QualifiedName("Net"));
        written.register_parameter(
                "weight", torch.full(new long[] {2, 3}, new Scalar(0.5)).set_requires_grad(true), false);
        written.register_parameter("bias", torch.zeros(2).set_requires_grad(true), false);
        written.register_buffer("scale", torch.ones(1));
        written.define("def forward(self, x):\n    return torch.matmul(x, self.weight.t()) * self.scale + self.bias\n");
        written.save(file);
        Path checkpoints = directory.resolve("checkpoints");
        List<float[]> straight = onRanks(2, group -> {
            JitModule net = torch.load(file);
            TorchModel model = TorchModel.of(net);
            Adam optimizer = new Adam(model.trainableParameters(), new AdamOptions(1e-2));
            train(net, optimizer, group, 0, 4);
            var state = TorchState.of(net, optimizer, Map.of("epoch", "2"), group);
            assertThat(state.tensors()).extracting(t -> t.name()).contains("weight", "bias", "scale");
            if (group.rank() == 0) Checkpoints.open(checkpoints).save(4, state);
            train(net, optimizer, group, 4, 8);
            return model.parameters().get(0).data().toArray(ValueLayout.JAVA_FLOAT);
        });
        List<float[]> resumed = onRanks(2, group -> {
            JitModule net = torch.load(file);
            TorchModel model = TorchModel.of(net);
            Adam optimizer = new Adam(model.trainableParameters(), new AdamOptions(5));
            try (Arena arena = Arena.ofShared()) {
                LoadedCheckpoint loaded = Checkpoints.open(checkpoints).loadNewest(group, arena);
                TorchState.restore(loaded.state(), net, optimizer, group);
            }
            train(net, optimizer, group, 4, 8);
            return model.parameters().get(0).data().toArray(ValueLayout.JAVA_FLOAT);
        });
        assertThat(resumed.getFirst()).isEqualTo(straight.getFirst());
        assertThat(resumed.get(1)).isEqualTo(straight.getFirst());
    }
}
