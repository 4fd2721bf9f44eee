package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.mpi.Tutti;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.torch.ShardedOptimizer;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

/// Two ranks train adapters with a sharded optimizer, and continue from a checkpoint.
class LoraRanksTest {
    private static final Path FILES = Path.of("src/test/resources/org/tutti/train/torch/graph");
    private static final int RANKS = 2, STEPS = 20, CHECKPOINT = 10;

    /// The tolerance: summing two halves of a batch rounds differently than summing the whole batch.
    private static final float CLOSE = 1e-5f;

    @TempDir
    Path dir;

    @BeforeAll
    static void libtorch() {
        new LibTorch().prepare(OptionalInt.of(1));
    }

    private static GraphModel gpt() throws IOException {
        return GraphModel.read(FILES.resolve("gpt2.pt2"));
    }

    private static Map<String, float[]> numbers(Path file) throws IOException {
        Map<String, float[]> all = new HashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            for (org.tutti.train.model.Tensor t : Safetensors.read(file, arena).tensors()) {
                all.put(t.name(), t.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
            }
        }
        return all;
    }

    /// Returns this rank's samples.
    private static Map<String, Tensor> inputs(GraphModel model, ProcessGroup group) throws IOException {
        Map<String, Tensor> inputs = new HashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            Safetensors file = Safetensors.read(FILES.resolve("gpt2.safetensors"), arena);
            for (String input : model.inputNames()) {
                org.tutti.train.model.Tensor t = file.tensor("in." + input);
                long[] shape = t.spec().shape().stream().mapToLong(d -> d).toArray();
                long samples = shape[0] / group.size();
                inputs.put(
                        input,
                        Tensors.over(t.data(), t.spec().dtype(), shape)
                                .narrow(0, group.rank() * samples, samples)
                                .clone());
            }
        }
        return inputs;
    }

    private static void train(
            GraphModel model, ShardedOptimizer optimizer, ProcessGroup group, int from, int to, float[] losses)
            throws IOException {
        Map<String, Tensor> inputs = inputs(model, group);
        TorchModel trained = TorchModel.of(model);
        try (DistributedDataParallel ddp = DistributedDataParallel.of(trained, group)) {
            assertThat(trained.parameters()).allMatch(t -> t.name().contains(".lora_"));
            for (int i = from; i < to; i++) {
                try (Step s = ddp.step(2)) {
                    optimizer.zeroGrad();
                    Tensor loss = model.run(inputs).get("loss");
                    loss.backward();
                    s.sync();
                    optimizer.step();
                    losses[i] += loss.item_float() / RANKS;
                }
            }
        }
    }

    private static ShardedOptimizer optimizer(GraphModel model, ProcessGroup group) {
        return ShardedOptimizer.of(TorchModel.of(model), group, share -> new AdamW(share, new AdamWOptions(1e-3)));
    }

    @Test
    void shardedOptimizersAndCheckpointsIncludeAdapters() throws IOException {
        Path peft = FILES.resolve("lora/gpt2");
        Map<Integer, float[]> losses = new ConcurrentHashMap<>();
        Tutti.local(RANKS, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                losses.put(group.rank(), new float[STEPS]);
                GraphModel model = gpt();
                Lora.read(model, peft.resolve("before"));
                ShardedOptimizer optimizer = optimizer(model, group);
                train(model, optimizer, group, 0, CHECKPOINT, losses.get(group.rank()));
                Checkpoints checkpoints = Checkpoints.open(dir);
                checkpoints.saveAsync(CHECKPOINT, TorchState.of(model, optimizer, Map.of(), group), group);
                checkpoints.await();
            }
        });
        Tutti.local(RANKS, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world());
                    Arena arena = Arena.ofShared()) {
                GraphModel model = gpt();
                Lora lora = Lora.on(model).rank(4).alpha(16).targets("c_attn", "c_proj");
                ShardedOptimizer optimizer = optimizer(model, group);
                Safetensors state =
                        Checkpoints.open(dir).loadNewest(group, arena).state();
                TorchState.restore(state, model, optimizer, group);
                train(model, optimizer, group, CHECKPOINT, STEPS, losses.get(group.rank()));
                if (group.rank() == 0) lora.save(dir.resolve("adapter"));
            }
        });
        Map<String, float[]> figures = numbers(peft.resolve("losses.safetensors"));
        for (int i = 0; i < STEPS; i++) {
            float mean = losses.get(0)[i] + losses.get(1)[i];
            assertThat(mean).as("step %d", i).isCloseTo(figures.get("loss." + i)[0], within(CLOSE));
        }
        Map<String, float[]> expected = numbers(peft.resolve("after/adapter_model.safetensors"));
        Map<String, float[]> found = numbers(dir.resolve("adapter/adapter_model.safetensors"));
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, all) -> assertThat(found.get(name)).as(name).containsExactly(all, within(CLOSE)));
    }
}
