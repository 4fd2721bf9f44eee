package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.BUCKETS;
import static org.tutti.train.torch.Trials.onRanks;
import static org.tutti.train.torch.Trials.train;
import static org.tutti.train.torch.Trials.x;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.openblas.presets.openblas_nolapack;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.BatchNorm1dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.RateSchedule;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.torch.Trials.Net;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.Tensors;

final class TorchModelTest {
    private static List<List<float[]>> learned(int ranks) {
        return onRanks(ranks, group -> {
            Net net = new Net(group.rank()); // all ranks start with rank 0's parameters
            train(net, new SGD(net.parameters(), new SGDOptions(0.1)), group, 0, 100);
            return net.parameterValues();
        });
    }

    @Test
    void oneRankAndManyLearnTheSame() {
        List<float[]> alone = learned(1).getFirst();
        for (int size = 2; size <= 4; size++) {
            List<List<float[]>> all = learned(size);
            for (List<float[]> one : all) assertSame(one, all.getFirst());
            assertSame(learned(size).getFirst(), all.getFirst());
            for (int p = 0; p < alone.size(); p++) {
                assertThat(distance(all.getFirst().get(p), alone.get(p)))
                        .as("parameter %d with %d ranks", p, size)
                        .isLessThan(1e-6);
            }
        }
    }

    private static void assertSame(List<float[]> one, List<float[]> other) {
        assertThat(one.size()).isEqualTo(other.size());
        for (int p = 0; p < one.size(); p++) assertThat(one.get(p)).isEqualTo(other.get(p));
    }

    private static double distance(float[] a, float[] b) {
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < a.length; i++) {
            difference += Math.pow(a[i] - b[i], 2);
            norm += Math.pow(b[i], 2);
        }
        return Math.sqrt(difference / norm);
    }

    /// A weight used twice, an untrained layer, and a layer with running means.
    private static final class Odd extends Module {
        final LinearImpl first = register_module("first", new LinearImpl(Trials.FEATURES, 8));
        final Tensor tied = register_parameter("tied", first.weight());
        final LinearImpl frozen = register_module("frozen", new LinearImpl(8, 8));
        final BatchNorm1dImpl norm = register_module("norm", new BatchNorm1dImpl(new BatchNormOptions(8)));

        Odd() {
            frozen.weight().set_requires_grad(false);
        }

        Tensor forward(Tensor x) {
            return norm.forward(frozen.forward(first.forward(x).add(x.matmul(tied.t()))));
        }
    }

    @Test
    void trainedAndFrozenTensorsAreDistinguished() {
        LibTorch.load();
        TorchModel model = TorchModel.of(new Odd());
        assertThat(model.parameters().stream().map(t -> t.spec().toString()))
                .containsExactly(
                        "tied F32[8, 20]",
                        "first.bias F32[8]",
                        "frozen.bias F32[8]",
                        "norm.weight F32[8]",
                        "norm.bias F32[8]");
        assertThat(model.frozen().stream().map(t -> t.spec().toString())).containsExactly("frozen.weight F32[8, 8]");
        assertThat(model.buffers().stream().map(t -> t.spec().toString()))
                .containsExactly(
                        "norm.running_mean F32[8]", "norm.running_var F32[8]", "norm.num_batches_tracked I64[]");
    }

    /// The module is like a module exported by Python: a class with parameters, a buffer and a forward in
    /// TorchScript.
    @Test
    void aModuleInTorchScriptIsTrained(@TempDir Path directory) {
        LibTorch.load();
        String file = directory.resolve("net.pt").toString();
        JitModule written = new JitModule(new QualifiedName("Net"));
        written.register_parameter(
                "weight", torch.full(new long[] {2, 3}, new Scalar(0.5)).set_requires_grad(true), false);
        written.register_parameter("bias", torch.zeros(2).set_requires_grad(true), false);
        written.register_buffer("scale", torch.ones(1));
        written.define("def forward(self, x):\n    return torch.matmul(x, self.weight.t()) * self.scale + self.bias\n");
        written.save(file);
        onRanks(2, group -> {
            JitModule net = torch.load(file);
            TorchModel model = TorchModel.of(net);
            assertThat(model.parameters())
                    .extracting(t -> t.spec().toString())
                    .containsExactly("weight F32[2, 3]", "bias F32[2]");
            assertThat(model.buffers()).extracting(t -> t.spec().toString()).containsExactly("scale F32[1]");
            SGD optimizer = new SGD(model.trainableParameters(), new SGDOptions(0.1));
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
            ReplicaGuard guard = ReplicaGuard.of(group, 1);
            for (int k = 0; k < 3; k++) {
                try (Step step = ddp.step(1)) {
                    optimizer.zero_grad();
                    Tensor x = torch.full(new long[] {1, 3}, new Scalar(group.rank() + 1.0));
                    net.forward(new IValueVector(new IValue(x)))
                            .toTensor()
                            .square()
                            .sum()
                            .backward();
                    step.sync();
                    optimizer.step();
                    guard.check(k, model);
                }
            }
            assertThat(model.parameters().getFirst().data().get(ValueLayout.JAVA_FLOAT, 0))
                    .isNotEqualTo(0.5f);
            return true;
        });
    }

    private static org.tutti.train.model.Tensor tensor(String name, DType type, List<Long> shape, int... bits) {
        TensorSpec spec = new TensorSpec(name, type, shape);
        ByteBuffer bytes = ByteBuffer.allocate((int) spec.sizeBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int b : bits) {
            if (type.sizeBytes() == 1) bytes.put((byte) b);
            else if (type.sizeBytes() == 2) bytes.putShort((short) b);
            else bytes.putInt(b);
        }
        return new org.tutti.train.model.Tensor(spec, MemorySegment.ofArray(bytes.array()));
    }

    private static float[] values(LinearImpl net) {
        return Tensors.memory(net.weight()).toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void aScheduleSetsTheRateOfEachStep() {
        LibTorch.load();
        LinearImpl net = new LinearImpl(1, 1);
        for (Optimizer optimizer : List.of(
                new SGD(net.parameters(), new SGDOptions(0.1)), new Adam(net.parameters(), new AdamOptions(0.1)))) {
            LearningRate.set(optimizer, RateSchedule.linear(0.5, 0, 2).at(1));
            assertThat(LearningRate.get(optimizer)).isEqualTo(0.25);
            float before = values(net)[0];
            optimizer.zero_grad();
            net.forward(torch.ones(1, 1)).sum().backward();
            optimizer.step();
            assertThat(before - values(net)[0]).isCloseTo(0.25f, org.assertj.core.data.Offset.offset(1e-5f));
            assertThatThrownBy(() -> LearningRate.set(optimizer, -1)).hasMessage("a learning rate of -1.0");
        }
    }

    /// The file contains the numbers 1 and -2 in each of the types that published models use.
    @Test
    void weightsOfShorterTypesAreConverted() {
        LibTorch.load();
        LinearImpl net = new LinearImpl(2, 1);
        TorchModel model = TorchModel.of(net);
        Map<DType, int[]> written = Map.of(
                DType.F32, new int[] {0x3f800000, 0xc0000000},
                DType.F16, new int[] {0x3c00, 0xc000},
                DType.BF16, new int[] {0x3f80, 0xc000},
                DType.F8_E4M3, new int[] {0x38, 0xc0},
                DType.F8_E5M2, new int[] {0x3c, 0xc0});
        written.forEach((type, bits) -> {
            model.load(new Safetensors(
                            List.of(
                                    tensor("model.weight", type, List.of(1L, 2L), bits),
                                    tensor("model.bias", DType.F32, List.of(1L), 0)),
                            Map.of())
                    .mapNames(name -> name.replaceFirst("^model[.]", "")));
            assertThat(values(net)).as("%s", type).containsExactly(1, -2);
            net.weight().data().zero_();
        });
    }

    @Test
    void mismatchedWeightsAreNamed() {
        LibTorch.load();
        LinearImpl net = new LinearImpl(2, 1);
        TorchModel model = TorchModel.of(net);
        float[] before = values(net);
        Safetensors file = new Safetensors(
                List.of(tensor("weight", DType.F32, List.of(1L, 2L), 0, 0), tensor("head", DType.F32, List.of(1L), 0)),
                Map.of());
        assertThatThrownBy(() -> model.load(file))
                .isInstanceOf(TrainingException.class)
                .hasMessage("the weights do not fit the module: the file has no bias; the module has no head");
        assertThat(values(net)).isEqualTo(before);
        TorchModel.IncompatibleKeys told = model.loadNonStrict(file);
        assertThat(told.missingKeys()).containsExactly("bias");
        assertThat(told.unexpectedKeys()).containsExactly("head");
        assertThat(values(net)).containsExactly(0, 0);
        assertThatThrownBy(() -> model.loadNonStrict(
                        new Safetensors(List.of(tensor("weight", DType.F32, List.of(2L), 0, 0)), Map.of())))
                .hasMessage("the weights do not fit the module: weight F32[2] is [1, 2] in the module");
        assertThatThrownBy(() -> model.loadNonStrict(file.mapNames(n -> "encoder." + n)))
                .hasMessage(
                        "the weights do not fit the module: none of the file's names is one of the module's; the file has"
                                + " encoder.weight, encoder.head and the module weight, bias; rename tensors with Safetensors.mapNames");
    }

    @Test
    void aTiedWeightIsSentOnceItsGradientIsWhole() {
        List<float[]> gradients = onRanks(2, group -> {
            torch.manual_seed(3);
            Odd net = new Odd();
            TorchModel model = TorchModel.of(net);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, BUCKETS);
            int[] all = new int[12];
            for (int i = 0; i < all.length; i++) all[i] = i;
            net.forward(x(all)).square().sum().backward();
            float[] mine = gradient(net.parameters().get(0));
            try (Step step = ddp.step(12)) {
                net.zero_grad(true);
                net.forward(x(all)).square().sum().backward();
                step.sync();
                // the same samples on the two ranks, so the mean is equal to each gradient
                assertThat(distance(gradient(net.parameters().get(0)), mine)).isLessThan(1e-6);
                return mine;
            }
        });
        assertThat(gradients).hasSize(2);
    }

    private static float[] gradient(Tensor of) {
        return Tensors.memory(of.grad()).toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void aModuleThatWasConvertedAfterwardsIsRefused() {
        onRanks(1, group -> {
            LinearImpl net = new LinearImpl(3, 2);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
            net.weight().set_data(torch.zeros(2, 3));
            assertThatThrownBy(() -> ddp.step(1))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("parameter weight have moved");
            return true;
        });
    }

    @Test
    void aLayerThatIsReleasedAfterwardsIsRefusedByName() {
        onRanks(2, group -> {
            Odd net = new Odd();
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
            net.frozen.weight().set_requires_grad(true);
            assertThatThrownBy(() -> ddp.step(1))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("to be trained now: frozen.weight; these gradients would not be averaged");
            return true;
        });
    }

    /// Each rank computes means from the rank's samples; afterwards, all ranks have the means of the same rank.
    @Test
    void buffersAreOneRanksAfterEachStep() {
        onRanks(3, group -> {
            Odd net = new Odd();
            TorchModel model = TorchModel.of(net);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, BUCKETS);
            ReplicaGuard guard = ReplicaGuard.of(group, 1);
            for (int k = 0; k < 5; k++) {
                try (Step step = ddp.step(2)) {
                    net.forward(x(6 * k + 2 * group.rank(), 6 * k + 2 * group.rank() + 1))
                            .square()
                            .sum()
                            .backward();
                    step.sync();
                    guard.check(k, model);
                }
            }
            assertThat(model.buffers().getLast().data().get(ValueLayout.JAVA_LONG, 0))
                    .isEqualTo(5);
            DistributedDataParallel own = DistributedDataParallel.of(model, group, BUCKETS.withBroadcastBuffers(false));
            try (Step step = own.step(2)) {
                net.forward(x(group.rank(), 3 + group.rank())).square().sum().backward();
                step.sync();
                assertThatThrownBy(() -> guard.check(0, model)).hasMessageContaining("norm.running_mean");
            }
            return true;
        });
    }

    /// The parameters after each batch are bitwise equal to the parameters of libtorch without Tutti.
    @Test
    void oneRankIsLibtorchItself() {
        onRanks(1, group -> {
            Net net = new Net(1), plain = new Net(1);
            SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
            SGD other = new SGD(plain.parameters(), new SGDOptions(0.1));
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            for (int batch = 1; batch <= 64; batch++) {
                int[] samples = IntStream.range(batch, 2 * batch).toArray();
                try (Step step = ddp.step(batch)) {
                    optimizer.zero_grad();
                    net.loss(samples).backward();
                    step.sync();
                    optimizer.step();
                    other.zero_grad();
                    plain.loss(samples).backward();
                    other.step();
                }
                assertSame(net.parameterValues(), plain.parameterValues());
            }
            return true;
        });
    }

    /// Two phases with Tutti and one without, with the same module, do not interfere.
    @Test
    void phasesOfOneModuleFollowEachOther() {
        onRanks(2, group -> {
            Net net = new Net(1);
            SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
            DistributedDataParallel first = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            step(first, net, optimizer, group);
            DistributedDataParallel second = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            assertThatThrownBy(() -> first.step(1)).hasMessageContaining("for the same model");
            step(second, net, optimizer, group);
            second.close();
            optimizer.zero_grad();
            net.loss(group.rank()).backward();
            net.loss(group.rank()).backward(); // as often as one likes
            optimizer.step();
            try (DistributedDataParallel third = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS)) {
                step(third, net, optimizer, group);
            }
            return true;
        });
    }

    private static void step(DistributedDataParallel ddp, Net net, SGD optimizer, ProcessGroup group) {
        try (Step step = ddp.step(1)) {
            optimizer.zero_grad();
            net.loss(group.rank()).backward();
            step.sync();
            optimizer.step();
        }
    }

    /// A bucket has the size of the gradients, and is in shared memory.
    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("ci")
    void replacedOrClosedModelsFreeTheirMemory() {
        onRanks(2, group -> {
            LinearImpl large = new LinearImpl(1000, 1000); // 4 MB
            long before = 0;
            for (int k = 0; k < 53; k++) {
                if (k == 3) before = residentKiB("RssShmem:");
                DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(large), group);
                try (Step step = ddp.step(1)) {
                    large.forward(torch.ones(1, 1000)).sum().backward();
                    step.sync();
                }
                if (k % 2 == 0) ddp.close();
            }
            assertThat(residentKiB("RssShmem:") - before)
                    .as("KiB more after 50 on both ranks")
                    .isLessThan(16 << 10);
            return true;
        });
    }

    @Test
    void aTypeThatCannotBeAveragedIsNamed() {
        onRanks(1, group -> {
            LinearImpl net = new LinearImpl(3, 2);
            net.to(torch.ScalarType.Float8_e4m3fn, false);
            assertThatThrownBy(() -> DistributedDataParallel.of(TorchModel.of(net), group))
                    .hasMessage("parameter bias of type F8_E4M3 cannot be averaged; F64, F32, F16 and BF16 can");
            return true;
        });
    }

    @Test
    void anExceptionInAHookIsTheStepsOwn() {
        onRanks(2, group -> {
            Net net = new Net(1);
            DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
            try (Step step = ddp.step(1)) {
                net.loss(group.rank()).backward();
                assertThatThrownBy(() -> net.loss(0).backward()).hasMessageContaining("a second backward in one step");
                step.sync();
            }
            return true;
        });
    }

    @Test
    void aGradientThatIsNoNumberIsNamed() {
        onRanks(3, group -> {
            Net net = new Net(1);
            TorchModel model = TorchModel.of(net);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group, BUCKETS);
            try (Step step = ddp.step(1)) {
                Tensor loss = net.loss(group.rank());
                if (group.rank() == 2) loss = loss.mul(new org.bytedeco.pytorch.Scalar(Float.NaN));
                loss.backward();
                assertThatThrownBy(step::sync)
                        .isInstanceOf(TrainingException.class)
                        .hasMessage("step 1: not a finite number in the gradient of hidden.weight, hidden.bias,"
                                + " out.weight, out.bias on rank 2");
            }
            return true;
        });
    }

    @Test
    void aMissingLibraryIsNamedWithTheLinesToAdd() {
        assertThatThrownBy(() -> LibTorch.checkThere("linux-arm64", getClass().getClassLoader()))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("libtorch's files for linux-arm64 are not on the class path")
                .hasMessageContaining("<artifactId>pytorch</artifactId>")
                .hasMessageContaining("<version>2.10.0-1.5.13</version>")
                .hasMessageContaining("<classifier>linux-arm64</classifier>")
                .hasMessageContaining("<artifactId>openblas</artifactId>")
                .hasMessageContaining("<artifactId>javacpp</artifactId>");
    }

    /// The hooks of an unreachable model, which libtorch still calls, are not freed.
    @Test
    void aModelThatIsForgottenDisturbsNoLaterOneOfTheSameModule() {
        onRanks(1, group -> {
            Net net = new Net(1);
            Adam optimizer = new Adam(net.parameters(), new AdamOptions(1e-3));
            for (int phase = 0; phase < 20; phase++) {
                train(net, optimizer, group, 5 * phase, 5 * phase + 5);
                System.gc();
            }
            return true;
        });
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("ci")
    void memoryStaysWhereItIsOverManySteps() {
        onRanks(1, group -> {
            Net net = new Net(1);
            Adam optimizer = new Adam(net.parameters(), new AdamOptions(1e-3));
            train(net, optimizer, group, 0, 500);
            long before = residentKiB("VmRSS:");
            train(net, optimizer, group, 500, 2500);
            assertThat(residentKiB("VmRSS:") - before)
                    .as("KiB more after 2000 steps")
                    .isLessThan(48 << 10);
            return true;
        });
    }

    private static long residentKiB(String which) throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(which)) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        throw new IOException("no " + which);
    }

    @Test
    void eachRankHasItsShareOfThreads() {
        int cores = Runtime.getRuntime().availableProcessors();
        onRanks(2, (ProcessGroup group) -> {
            assertThat(torch.get_num_threads()).isEqualTo(Math.max(1, cores / 2));
            assertThat(openblas_nolapack.blas_get_num_threads()).isEqualTo(Math.max(1, cores / 2));
            return true;
        });
    }
}
