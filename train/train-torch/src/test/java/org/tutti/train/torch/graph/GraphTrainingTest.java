package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.tutti.train.torch.Trials.onRanks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Checkpoints.LoadedCheckpoint;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.torch.Autocast;
import org.tutti.train.torch.ShardedOptimizer;
import org.tutti.train.torch.TorchModel;
import org.tutti.train.torch.TorchState;

/// Uses an exported program with each part of the training API.
final class GraphTrainingTest {
    private static List<float[]> values(GraphModel model) {
        return TorchModel.of(model).parameters().stream()
                .map(p -> p.data().toArray(ValueLayout.JAVA_FLOAT))
                .toList();
    }

    private static void assertSame(List<float[]> one, List<float[]> other) {
        assertThat(one).hasSameSizeAs(other);
        for (int i = 0; i < one.size(); i++) assertThat(one.get(i)).isEqualTo(other.get(i));
    }

    private static void backward(PythonFigures python, GraphModel model, ProcessGroup group) {
        python.loss(model.run(python.inputs(group.rank(), group.size())), group.rank(), group.size())
                .backward();
    }

    @Test
    void aShardedOptimizerComputesTheSameBits() {
        PythonFigures python = PythonFigures.of("gpt2");
        List<float[]> sharded = onRanks(2, group -> {
                    GraphModel model = python.read();
                    TorchModel trained = TorchModel.of(model);
                    DistributedDataParallel ddp = DistributedDataParallel.of(trained, group);
                    ShardedOptimizer optimizer =
                            ShardedOptimizer.of(trained, group, share -> new AdamW(share, new AdamWOptions(1e-3)));
                    for (int k = 0; k < 5; k++) {
                        try (Step step = ddp.step(2)) {
                            optimizer.zeroGrad();
                            backward(python, model, group);
                            step.sync();
                            optimizer.step();
                        }
                    }
                    return values(model);
                })
                .getFirst();
        List<float[]> whole = onRanks(2, group -> {
                    GraphModel model = python.read();
                    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(model), group);
                    AdamW optimizer = new AdamW(model.parameters(), new AdamWOptions(1e-3));
                    for (int k = 0; k < 5; k++) step(python, model, ddp, optimizer, group);
                    return values(model);
                })
                .getFirst();
        assertSame(sharded, whole);
    }

    private static void step(
            PythonFigures python, GraphModel model, DistributedDataParallel ddp, AdamW optimizer, ProcessGroup group) {
        try (Step step = ddp.step(2)) {
            optimizer.zero_grad();
            backward(python, model, group);
            step.sync();
            optimizer.step();
        }
    }

    @Test
    void aTrainingContinuesFromACheckpointWithTheSameBits(@TempDir Path directory) {
        PythonFigures python = PythonFigures.of("bert");
        List<float[]> whole = train(python, directory.resolve("one"), 6);
        train(python, directory.resolve("two"), 3);
        assertSame(train(python, directory.resolve("two"), 6), whole);
    }

    /// Continues from the last checkpoint until `last`, and saves each step.
    private static List<float[]> train(PythonFigures python, Path directory, int last) {
        return onRanks(2, group -> {
                    GraphModel model = python.read();
                    AdamW optimizer = new AdamW(model.parameters(), new AdamWOptions(1e-3));
                    Checkpoints checkpoints = Checkpoints.open(directory);
                    int first = 0;
                    try (Arena arena = Arena.ofShared()) {
                        LoadedCheckpoint loaded = checkpoints.loadNewest(group, arena);
                        if (loaded != null) {
                            TorchState.restore(loaded.state(), model, optimizer);
                            first = (int) loaded.step();
                        }
                    }
                    DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(model), group);
                    for (int k = first; k < last; k++) step(python, model, ddp, optimizer, group);
                    Safetensors state = TorchState.of(model, optimizer, Map.of(), group);
                    if (group.rank() == 0) checkpoints.save(last, state);
                    group.barrier();
                    return values(model);
                })
                .getFirst();
    }

    @Test
    void tiedWeightsAreOneParameter() {
        GraphModel gpt2 = PythonFigures.of("gpt2").read();
        assertThat(TorchModel.of(gpt2).parameters())
                .extracting(t -> t.spec().name())
                .contains("transformer.wte.weight")
                .doesNotContain("lm_head.weight");
        assertThat(gpt2.parameters().size())
                .isEqualTo(TorchModel.of(gpt2).parameters().size());
    }

    @Test
    void frozenParametersAndGroupsAreChosenByName() {
        PythonFigures python = PythonFigures.of("bert");
        onRanks(2, group -> {
            GraphModel bert = python.read();
            bert.freeze("bert.embeddings.*", "*.layer.0.*");
            TensorVector plain = bert.parametersMatching("*.bias", "*LayerNorm*");
            TensorVector decayed = bert.parametersExcept("*.bias", "*LayerNorm*");
            TorchModel trained = TorchModel.of(bert);
            assertThat(trained.frozen())
                    .extracting(t -> t.spec().name())
                    .allMatch(n -> n.startsWith("bert.embeddings.") || n.contains(".layer.0."));
            assertThat(plain.size() + decayed.size())
                    .isEqualTo(trained.parameters().size());
            AdamW optimizer = new AdamW(decayed, new AdamWOptions(1e-2));
            AdamWOptions withoutDecay = new AdamWOptions(1e-2);
            withoutDecay.weight_decay().put(0);
            optimizer.add_param_group(new OptimizerParamGroup(plain, withoutDecay));
            List<float[]> before = values(bert);
            byte[] frozen = trained.frozen().getFirst().data().toArray(ValueLayout.JAVA_BYTE);
            DistributedDataParallel ddp = DistributedDataParallel.of(trained, group);
            step(python, bert, ddp, optimizer, group);
            List<float[]> after = values(bert);
            for (int i = 0; i < after.size(); i++) assertThat(after.get(i)).isNotEqualTo(before.get(i));
            assertThat(trained.frozen().getFirst().data().toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(frozen);
            return true;
        });
    }

    @Test
    void autocastIsInTheGraphToo() {
        PythonFigures python = PythonFigures.of("bert");
        GraphModel bert = python.read();
        try (PointerScope scope = new PointerScope()) {
            Outputs outputs;
            try (Autocast cast = Autocast.open(DType.BF16)) {
                outputs = bert.run(python.tensors("in."));
            }
            assertThat(outputs.get("logits").scalar_type().intern()).isEqualTo(ScalarType.BFloat16);
            outputs.get("loss").backward();
            double loss = python.tensors("out.loss").get("").item_double();
            assertThat(outputs.get("loss").item_double()).isCloseTo(loss, within(0.02 * loss));
            for (org.tutti.train.model.Tensor p : TorchModel.of(bert).parameters()) {
                assertThat(p.spec().dtype()).isEqualTo(DType.F32);
            }
        }
    }

    /// Llama's graph checks at several nodes that a tensor still has the type that it had at export.
    @Test
    void aGraphThatChecksTypesRunsUnderAutocast() {
        PythonFigures python = PythonFigures.of("llama");
        GraphModel llama = python.read();
        double loss = python.tensors("out.loss").get("").item_double();
        try (PointerScope scope = new PointerScope();
                Autocast cast = Autocast.open(DType.BF16)) {
            double shorter = llama.run(python.tensors("in.")).get("loss").item_double();
            assertThat(shorter).isCloseTo(loss, within(0.02 * loss)).isNotEqualTo(loss);
        }
    }

    @Test
    void aConvertedModelComputesInTheType() {
        PythonFigures python = PythonFigures.of("mlp");
        GraphModel mlp = python.read();
        mlp.to(ScalarType.Double, false);
        try (PointerScope scope = new PointerScope()) {
            Map<String, Tensor> inputs = python.tensors("in.");
            inputs.replaceAll((_, t) -> t.is_floating_point() ? t.to(ScalarType.Double) : t);
            Outputs outputs = mlp.run(inputs);
            assertThat(outputs.get("logits").scalar_type().intern()).isEqualTo(ScalarType.Double);
            outputs.get("loss").backward();
            assertThat(PythonFigures.distance(
                            outputs.get("logits"), python.tensors("out.").get("logits")))
                    .isLessThan(1e-6);
        }
    }

    /// The loss of a step does not depend on all parameters.
    @Test
    void unusedParametersHavePythonsNames() {
        PythonFigures python = PythonFigures.of("bert");
        onRanks(1, group -> {
            GraphModel bert = python.read();
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(bert), group);
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(4)) {
                            Tensor weight = bert.tensor("classifier.weight");
                            weight.sum().backward();
                            step.sync();
                        }
                    })
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("bert.pooler.dense.weight");
            return true;
        });
    }

    /// A rank without samples calls only `sync()`.
    @Test
    void unevenAndEmptyBatchesTrainAsOneRank() {
        PythonFigures python = PythonFigures.of("bert");
        List<float[]> alone = onRanks(1, group -> uneven(python, group)).getFirst();
        List<List<float[]>> three = onRanks(3, group -> uneven(python, group));
        for (List<float[]> rank : three) {
            for (int p = 0; p < alone.size(); p++) {
                for (int i = 0; i < alone.get(p).length; i++) {
                    assertThat(rank.get(p)[i]).isCloseTo(alone.get(p)[i], within(2e-5f));
                }
            }
        }
    }

    /// Trains with 4 samples: all on a single rank, or 3, 1 and 0 on three ranks.
    private static List<float[]> uneven(PythonFigures python, ProcessGroup group) {
        GraphModel bert = python.read();
        SGD optimizer = new SGD(bert.parameters(), new SGDOptions(0.1));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(bert), group);
        long first = group.size() == 1 ? 0 : group.rank() == 0 ? 0 : 3;
        long count = group.size() == 1 ? 4 : group.rank() == 0 ? 3 : group.rank() == 1 ? 1 : 0;
        for (int k = 0; k < 5; k++) {
            try (Step step = ddp.step((int) count)) {
                optimizer.zero_grad();
                if (count > 0) {
                    Map<String, Tensor> inputs = python.tensors("in.");
                    inputs.replaceAll((_, t) -> t.narrow(0, first, count));
                    bert.run(inputs).get("loss").backward();
                }
                step.sync();
                optimizer.step();
            }
        }
        return values(bert);
    }

    /// A batch norm of 12 samples: all on a single rank, or 4 on each of three ranks.
    @Test
    void synchronizedBatchNormTrainsAsOneRank() {
        List<float[]> alone = onRanks(1, group -> normalized(group, false)).getFirst();
        List<List<float[]>> together = onRanks(3, group -> normalized(group, true));
        List<List<float[]>> apart = onRanks(3, group -> normalized(group, false));
        assertThat(distance(together.getFirst(), alone)).isLessThan(1e-5);
        assertSame(together.get(1), together.getFirst());
        assertThat(distance(apart.getFirst(), alone)).isGreaterThan(1e-3);
    }

    private static List<float[]> normalized(ProcessGroup group, boolean isSynchronized) {
        PythonFigures python = PythonFigures.of("mlp");
        GraphModel mlp = python.read();
        if (isSynchronized) mlp.synchronizeBatchNorm(group);
        SGD optimizer = new SGD(mlp.parameters(), new SGDOptions(0.1));
        TorchModel trained = TorchModel.of(mlp);
        DistributedDataParallel ddp = DistributedDataParallel.of(trained, group);
        for (int k = 0; k < 20; k++) {
            try (Step step = ddp.step(12 / group.size())) {
                optimizer.zero_grad();
                backward(python, mlp, group);
                step.sync();
                optimizer.step();
            }
        }
        List<float[]> values = new ArrayList<>(values(mlp));
        for (org.tutti.train.model.Tensor buffer : trained.buffers()) {
            if (buffer.spec().dtype() == DType.F32) values.add(buffer.data().toArray(ValueLayout.JAVA_FLOAT));
        }
        return values;
    }

    private static double distance(List<float[]> one, List<float[]> other) {
        double most = 0;
        for (int t = 0; t < one.size(); t++) {
            for (int i = 0; i < one.get(t).length; i++) {
                most = Math.max(most, Math.abs(one.get(t)[i] - other.get(t)[i]));
            }
        }
        return most;
    }

    @Test
    void aModelWithoutBatchNormIsNotSynchronized() {
        onRanks(1, group -> {
            GraphModel bert = PythonFigures.of("bert").read();
            assertThatThrownBy(() -> bert.synchronizeBatchNorm(group))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("bert.pt2 has no batch norm that ranks can compute together");
            return true;
        });
    }

    /// Several threads get the same results as a single thread in evaluation.
    @Test
    void threadsRunOneModelAtTheSameTime() throws InterruptedException {
        PythonFigures python = PythonFigures.of("bert");
        GraphModel bert = python.read();
        bert.eval();
        ConcurrentLinkedQueue<Double> distances = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int k = 0; k < 20; k++) {
                    try (PointerScope scope = new PointerScope();
                            NoGradGuard noGradients = new NoGradGuard()) {
                        Tensor logits = bert.run(python.tensors("in.")).get("logits");
                        distances.add(PythonFigures.distance(
                                logits, python.tensors("eval.").get("logits")));
                    }
                }
            }));
        }
        for (Thread t : threads) t.join();
        assertThat(distances).hasSize(80).allMatch(d -> d < 1e-5);
    }

    /// libtorch calls the inner modules, which only the model references.
    @Test
    void innerModulesAreNotCollected() {
        GraphModel bert = PythonFigures.of("bert").read();
        for (int k = 0; k < 5; k++) {
            System.gc();
            bert.eval();
            bert.train(true);
            assertThat(bert.named_parameters().size())
                    .isEqualTo(TorchModel.of(bert).parameters().size());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("full")
    void memoryStaysFlatOverFiveThousandSteps() {
        PythonFigures python = PythonFigures.of("bert");
        onRanks(1, group -> {
            GraphModel bert = python.read();
            AdamW optimizer = new AdamW(bert.parameters(), new AdamWOptions(1e-4));
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(bert), group);
            for (int k = 0; k < 500; k++) step(python, bert, ddp, optimizer, group);
            long before = nativeKiB();
            for (int k = 0; k < 5000; k++) {
                step(python, bert, ddp, optimizer, group);
                if (k % 500 == 0) System.gc(); // frees objects that no scope owns
            }
            assertThat(nativeKiB() - before).as("KiB more after 5,000 steps").isLessThan(before / 50);
            return true;
        });
    }

    /// Returns the resident memory without Java's heap, because the heap size depends on the collector.
    private static long nativeKiB() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (!line.startsWith("VmRSS:")) continue;
            return Long.parseLong(line.replaceAll("\\D", ""))
                    - Runtime.getRuntime().totalMemory() / 1024;
        }
        throw new IOException("no VmRSS");
    }
}
