package org.tutti.train.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceUnavailableException;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Tutti;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.HalfPrecision;
import org.tutti.train.LossScaler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// A model in the memory of a device learns the same as a model in plain loops.
class DeviceTrainingTest {
    private static final Options SMALL =
            Options.DEFAULTS.withFirstBucketBytes(100).withBucketBytes(100);
    private static final double EPSILON = 1e-6;

    private static final List<String> GPUS = List.of("cuda", "hip");

    static Stream<String> kinds() {
        return Stream.concat(Stream.of("host"), compiled());
    }

    /// The kinds of devices for which kernels are compiled: OpenCL, and the GPUs of this machine.
    static Stream<String> compiled() {
        return Stream.concat(Stream.of("opencl"), gpus());
    }

    private static Stream<String> gpus() {
        return GPUS.stream().filter(kind -> !Device.all(kind).isEmpty());
    }

    interface Body<T> {
        T run(DeviceGroup group) throws Exception;
    }

    /// Returns the results of the bodies; ranks are threads, each with a device of this kind.
    static <T> List<T> ranks(int size, String kind, Body<T> body) {
        try (Device there = Device.get(kind)) {
            assertThat(there.id()).startsWith(kind);
        } catch (DeviceUnavailableException e) {
            if ("true".equals(System.getenv("CI"))) fail("nothing is skipped in CI", e);
            assumeTrue(false, e.getMessage());
        }
        Map<Integer, T> results = new ConcurrentSkipListMap<>();
        Tutti.local(size, mpi -> {
            try (Device device = Device.get(kind);
                    DeviceGroup group = DeviceGroup.of(ProcessGroup.of(mpi, mpi.world()), device)) {
                results.put(group.rank(), body.run(group));
            }
        });
        return List.copyOf(results.values());
    }

    /// Returns the samples of a rank in a step with 24 samples in total, distributed unevenly.
    private static int[] share(int rank, int size, int step) {
        int first = 24 * rank * (rank + 1) / (size * (size + 1)),
                end = 24 * (rank + 1) * (rank + 2) / (size * (size + 1));
        int[] mine = new int[end - first];
        for (int i = 0; i < mine.length; i++) mine[i] = (24 * step + first + i) % 120;
        return mine;
    }

    /// As [#ranks], on the device `host`; `library` sends the data between the devices of the ranks.
    static <T> List<T> connected(int size, ConnectedHosts library, Body<T> body) {
        Map<Integer, T> results = new ConcurrentSkipListMap<>();
        Tutti.local(size, mpi -> {
            try (Device device = Device.get("host");
                    DeviceGroup group = DeviceGroup.of(
                            ProcessGroup.of(mpi, mpi.world()), device, library.connected(mpi.world(), device))) {
                results.put(group.rank(), body.run(group));
            }
        });
        return List.copyOf(results.values());
    }

    /// Returns the losses of all ranks in 20 steps, then all parameters. Step 7 includes two batches.
    private static double[] trained(ProcessGroup group, Perceptron net, Options options) {
        List<Double> said = new ArrayList<>();
        try (DistributedDataParallel ddp = DistributedDataParallel.of(net.model(), group, options)) {
            ReplicaGuard guard = ReplicaGuard.of(group, 5);
            LossScaler scaler = LossScaler.of(1, 0);
            for (int k = 0; k < 20; k++) {
                if (k == 7) {
                    int[] before = share(group.rank(), group.size(), 90);
                    try (Step _ = ddp.accumulate(before.length)) {
                        net.backward(before, true);
                    }
                }
                int[] mine = share(group.rank(), group.size(), k);
                try (Step step = ddp.step(mine.length)) {
                    double loss = net.backward(mine, true) * mine.length;
                    if (k == 9) assertThat(step.sync(scaler)).isTrue();
                    else step.sync();
                    if (k % 3 == 0) said.add(step.clipGradNorm(0.5));
                    net.descend(0.3);
                    said.add(group.sum(loss)[0] / 24);
                }
                guard.check(k, net.model());
            }
        }
        for (float w : net.all()) said.add((double) w);
        return said.stream().mapToDouble(d -> d).toArray();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Tag("ci")
    void learnsTheSameAsPlainLoops(String kind) {
        for (int size = 1; size <= 3; size++) learnsTheSameAsPlainLoops(kind, size);
    }

    private static void learnsTheSameAsPlainLoops(String kind, int size) {
        double[] expected =
                ranks(1, "host", g -> trained(g, new HostPerceptron(1), SMALL)).getFirst();
        assertThat(expected[20]).isLessThan(expected[1]);
        // ranks begin with rank 0's parameters
        List<double[]> all = ranks(size, kind, g -> {
            if (!GPUS.contains(kind)) assertThat(g.transport()).isEqualTo("copies through the host, over shm");
            return trained(g, new DevicePerceptron(g.device(), Datatype.FLOAT, 1 + g.rank()), SMALL);
        });
        for (double[] one : all) {
            assertThat(one).isEqualTo(all.getFirst());
            assertThat(one).containsExactly(expected, within(EPSILON));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void learnsTheSameWhereALibraryConnectsDevices(int size) {
        double[] expected =
                ranks(1, "host", g -> trained(g, new HostPerceptron(1), SMALL)).getFirst();
        ConnectedHosts library = new ConnectedHosts();
        List<double[]> all = connected(size, library, g -> {
            assertThat(g.backend()).isEqualTo("nccl");
            assertThat(g.transport()).isEqualTo("NCCL of a test");
            return trained(g, new DevicePerceptron(g.device(), Datatype.FLOAT, 1 + g.rank()), SMALL);
        });
        for (double[] one : all) {
            assertThat(one).isEqualTo(all.getFirst());
            assertThat(one).containsExactly(expected, within(EPSILON));
        }
        // two buckets in each of 20 steps; with one rank no data is sent
        assertThat(library.calls("allReduce")).isEqualTo(size == 1 ? 0 : 40 * size);
        assertThat(library.calls("broadcast")).isEqualTo(2 * size);
        assertThat(library.calls("close")).isEqualTo(size);
        assertThat(library.calls("abort")).isZero();
    }

    @Test
    void aFailedRankAbortsWaitsOfItsDevice() {
        ConnectedHosts library = new ConnectedHosts();
        assertThatThrownBy(() -> connected(2, library, group -> {
                    DevicePerceptron net = made(group);
                    DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
                    try (Step step = ddp.step(1)) {
                        if (group.rank() == 1) throw new IllegalArgumentException("a sample that cannot be read");
                        net.backward(new int[] {0}, true);
                        step.sync();
                    }
                    return true;
                }))
                .hasMessageContaining("a sample that cannot be read");
        assertThat(library.calls("abort")).isEqualTo(2);
        assertThat(library.calls("close")).isZero();
    }

    @Test
    void aDeviceWaitsForNoRankThatDoesSomethingElse() {
        ConnectedHosts library = new ConnectedHosts();
        connected(2, library, group -> {
            assertThatThrownBy(() -> {
                        if (group.rank() == 0) group.barrier();
                        else group.allgather(1);
                    })
                    .isInstanceOf(TrainingException.class)
                    .hasMessageStartingWith("the ranks do not do the same: rank 0 calls barrier(), rank 1 calls"
                            + " allgather(1 numbers)");
            return true;
        });
        assertThat(library.calls("abort")).isEqualTo(2);
        assertThat(library.calls("close")).isZero();
    }

    /// Memory of a foreign library.
    record Foreign(DeviceBuffer memory) implements TensorStorage.OnDevice {
        @Override
        public String device() {
            return memory.device();
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long sizeBytes() {
            return memory.byteSize();
        }

        @Override
        public void copyTo(MemorySegment target) {
            memory.copyTo(target, 0);
        }

        @Override
        public void copyFrom(MemorySegment source) {
            memory.copyFrom(source, 0);
        }
    }

    @Test
    void reusedMemoryHasTheTypeOfTheCall() {
        connected(2, new ConnectedHosts(), group -> {
            DeviceBuffer memory = group.device().zeros(Datatype.BYTE, Double.BYTES);
            group.startAllreduce(new Foreign(memory), DType.F32, ProgressMode.CALLS)
                    .await();
            memory.copyFrom(MemorySegment.ofArray(new double[] {1.1}), 0);
            group.startAllreduce(new Foreign(memory), DType.F64, ProgressMode.CALLS)
                    .await();
            double[] sum = new double[1];
            memory.copyTo(MemorySegment.ofArray(sum), 0);
            assertThat(sum).containsExactly(2.2);
            return true;
        });
    }

    private static String message(int size, String kind, Body<Object> body) {
        List<String> all = ranks(size, kind, group -> {
            Throwable thrown = catchThrowable(() -> body.run(group));
            assertThat(thrown).isInstanceOf(TrainingException.class);
            return String.valueOf(thrown.getMessage());
        });
        for (String one : all) assertThat(one).isEqualTo(all.getFirst());
        return all.getFirst();
    }

    private static DevicePerceptron made(DeviceGroup group) {
        return new DevicePerceptron(group.device(), Datatype.FLOAT, 1);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aGradientThatIsNoNumberIsNamedOnAllRanks(String kind) {
        for (int size = 1; size <= 2; size++) {
            int last = size - 1;
            assertThat(message(size, kind, group -> {
                        DevicePerceptron net = made(group);
                        DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
                        try (Step step = ddp.step(1)) {
                            if (group.rank() == last) net.gradient(Perceptron.LAST, 4, Float.NaN);
                            net.backward(new int[] {group.rank()}, true);
                            step.sync();
                        }
                        return null;
                    }))
                    .isEqualTo("step 1: not a finite number in the gradient of out.weight on rank " + last);
        }
    }

    @Test
    void aLossScalerSkipsAStepThatOverflows() {
        ranks(2, "host", group -> {
            DevicePerceptron net = made(group);
            DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
            LossScaler scaler = LossScaler.of(4, 0);
            try (Step step = ddp.step(1)) {
                if (group.rank() == 1) net.gradient(Perceptron.FIRST, 0, Float.POSITIVE_INFINITY);
                net.backward(new int[] {0}, true);
                assertThat(step.sync(scaler)).isFalse();
            }
            assertThat(scaler.scale()).isEqualTo(2);
            net.model.zeroGrad();
            try (Step step = ddp.step(1)) {
                net.gradient(Perceptron.FIRST, 3, 8);
                for (int p = 0; p < 2; p++) net.model.markReady(p);
                assertThat(step.sync(scaler)).isTrue();
            }
            assertThat(net.gradient(Perceptron.FIRST, 3)).isEqualTo(4);
            return true;
        });
    }

    @Test
    void aSumThatOverflowsIsNamedOnAllRanks() {
        assertThat(message(2, "host", group -> {
                    DevicePerceptron net = made(group);
                    DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
                    for (int k = 0; k < 2; k++) {
                        net.model.zeroGrad();
                        try (Step step = ddp.step(8)) {
                            net.gradient(Perceptron.FIRST, 2, k == 0 ? 1 : 3e38f);
                            for (int p = 1; p >= 0; p--) net.model.markReady(p);
                            step.sync();
                        }
                    }
                    return null;
                }))
                .isEqualTo("step 2: the sum over all ranks of the gradient of hidden.weight is not finite, although"
                        + " the gradients of all ranks are; make the loss smaller");
    }

    @Test
    void aParameterThatBackwardHasNotReachedIsNamedOrCountsAsZero() {
        assertThat(message(2, "host", group -> {
                    DevicePerceptron net = made(group);
                    DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
                    try (Step step = ddp.step(1)) {
                        net.backward(new int[] {0}, group.rank() == 0);
                        step.sync();
                    }
                    return null;
                }))
                .startsWith("step 1: backward has not reached hidden.weight on rank 1; ");
        ranks(2, "host", group -> {
            DevicePerceptron net = made(group);
            DistributedDataParallel ddp =
                    DistributedDataParallel.of(net.model, group, SMALL.withFindUnusedParameters(true));
            float mine = 0;
            for (int round = 0; round < 2; round++) {
                net.model.zeroGrad();
                try (Step step = ddp.step(1)) {
                    net.backward(new int[] {0}, group.rank() == 0);
                    mine = net.gradient(Perceptron.FIRST, 1);
                    step.sync();
                }
            }
            assertThat(net.gradient(Perceptron.FIRST, 1)).isNotZero();
            if (group.rank() == 0) assertThat(net.gradient(Perceptron.FIRST, 1)).isCloseTo(mine / 2, within(1e-6f));
            return true;
        });
    }

    @Test
    void gradientsOfDoublesAreAveragedInDoublePrecision() {
        ranks(3, "host", group -> {
            DeviceModel model = DeviceModel.of(group.device());
            int w = model.add("w", group.device().of(1.0, 2.0, group.rank()), 3);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
            assertThat(model.parameter(w).toDoubles()).containsExactly(1, 2, 0);
            try (Step step = ddp.step(1)) {
                model.gradient(w).copyFrom(new double[] {1e-12 * group.rank(), 1, group.rank()});
                model.markReady(w);
                step.sync();
                assertThat(step.clipGradNorm(100)).isCloseTo(Math.sqrt(2 + 1e-24), within(1e-12));
            }
            assertThat(model.gradient(w).toDoubles()).containsExactly(new double[] {1e-12, 1, 1}, within(1e-15));
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Tag("ci")
    void theNormIsThatOfAllGradientsOfBothTypes(String kind) {
        ranks(1, kind, group -> {
            Device device = group.device();
            DeviceModel model = DeviceModel.of(device);
            int a = model.add("a", device.zeros(Datatype.FLOAT, 100_000), 100_000);
            int b = model.add("b", device.of(0.0), 1), c = model.add("c", device.zeros(Datatype.FLOAT, 0), 0);
            int unused = model.add("d", device.of(0f), 1);
            DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group, Options.DEFAULTS.withFindUnusedParameters(true));
            for (int round = 0; round < 2; round++) {
                model.zeroGrad();
                try (Step step = ddp.step(1)) {
                    model.gradient(a).fill(0.5);
                    model.gradient(b).fill(3.0);
                    for (int i : new int[] {a, b, c}) model.markReady(i);
                    step.sync();
                    double norm = Math.sqrt(100_000 * 0.25 + 9);
                    assertThat(step.clipGradNorm(1)).isCloseTo(norm, within(1e-9));
                    assertThat(step.clipGradNorm(1)).isCloseTo(1, within(1e-6));
                    assertThat(model.gradient(b).toDoubles()[0]).isCloseTo(3 / norm, within(1e-12));
                }
            }
            assertThat(model.hasGradient(unused)).isFalse();
            return true;
        });
    }

    @Test
    void buffersBecomeOneRanks() {
        ranks(2, "host", group -> {
            Device device = group.device();
            DeviceModel model = DeviceModel.of(device);
            int w = model.add("w", device.of(1f), 1);
            var mean = device.of(5L + group.rank());
            model.addBuffer("mean", mean, 1);
            model.addFrozen("table", device.of(group.rank()), 1);
            DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
            assertThat(mean.toLongs()).containsExactly(5);
            try (Step step = ddp.step(1)) {
                model.markReady(w);
                mean.fill(7L + group.rank());
                step.sync();
            }
            assertThat(mean.toLongs()).containsExactly(7);
            ReplicaGuard.of(group, 1).check(1, model);
            if (group.rank() == 1) mean.fill(8L);
            assertThatThrownBy(() -> ReplicaGuard.of(group, 1).check(1, model))
                    .hasMessageStartingWith("step 1: the replicas differ: rank 1 in mean");
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("compiled")
    void checkpointsSaveDeviceMemory(String kind, @TempDir Path directory) throws Exception {
        ranks(1, kind, group -> {
            DevicePerceptron net = made(group);
            float[] before = net.all();
            try (Arena arena = Arena.ofConfined();
                    Checkpoints checkpoints = Checkpoints.open(directory)) {
                checkpoints.saveAsync(3, new Safetensors(net.model.parameters(), Map.of()));
                net.model.parameter(0).fill(0.0);
                checkpoints.await();
                for (long step = 3; step < 5; step++) {
                    var newest = Objects.requireNonNull(checkpoints.loadNewest(group, arena));
                    assertThat(newest.step()).isEqualTo(step);
                    for (var p : net.model.parameters())
                        p.storage().write(newest.state().tensor(p.name()).data());
                    assertThat(net.all()).isEqualTo(before);
                    checkpoints.save(step + 1, new Safetensors(net.model.parameters(), Map.of()));
                }
            }
            return true;
        });
    }

    @Test
    void unsupportedOperationsOfDevicesAreRefused() {
        ranks(2, "host", group -> {
            Device device = group.device();
            DeviceModel model = DeviceModel.of(device);
            assertThatThrownBy(() -> model.add("w", device.of(1, 2), 2))
                    .hasMessage("parameter w of INT cannot be averaged; FLOAT and DOUBLE can");
            assertThatThrownBy(() -> model.add("w", device.of(1f, 2f), device.of(1f), 2))
                    .hasMessage(
                            "the gradient of w is 1 FLOAT on host:0, the parameter 2 FLOAT on host:0; the type and the"
                                    + " number of elements must be the same");
            assertThatThrownBy(() -> model.add("w", device.of(1f, 2f), 3)).hasMessageContaining("w F32[3]");
            int w = model.add("w", device.of(1f, 2f), 2);
            DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group, SMALL.withHook(new HalfPrecision(DType.BF16)));
            assertThatThrownBy(() -> model.add("v", device.of(1f), 1)).hasMessageContaining("would not be averaged");
            assertThatThrownBy(() -> {
                        try (Step step = ddp.step(1)) {
                            model.markReady(w);
                            step.sync();
                        }
                    })
                    .hasMessage("HalfPrecision shortens gradients in the CPU's memory, and these are on host:0; leave"
                            + " the hook out there");
            group.setFailing(false);
            return true;
        });
    }

    @Test
    void anotherGroupDoesNotReachADevice() {
        Tutti.local(2, mpi -> {
            try (Device device = Device.get("host");
                    ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                DeviceModel model = DeviceModel.of(device);
                model.add("w", device.of(1f, 2f), 2);
                assertThatThrownBy(() -> DistributedDataParallel.of(model, group))
                        .hasMessage("ProcessGroup.broadcast over shm supports only CPU memory, and these 8 bytes are on"
                                + " host:0; use a DeviceGroup (tutti-train-device), or copy the data to the CPU with"
                                + " read()");
            }
        });
    }

    @Test
    void aRankThatMakesOneStepLessIsNamed() {
        List<String> all = new ArrayList<>();
        Throwable left = catchThrowable(() -> ranks(2, "host", group -> {
            DevicePerceptron net = made(group);
            DistributedDataParallel ddp = DistributedDataParallel.of(net.model, group, SMALL);
            try {
                for (int k = 0; k < 2 - group.rank(); k++) {
                    try (Step step = ddp.step(1)) {
                        net.backward(new int[] {0}, true);
                        step.sync();
                    }
                }
                group.close();
            } catch (TrainingException e) {
                synchronized (all) {
                    all.add(String.valueOf(e.getMessage()));
                }
            }
            return true;
        }));
        assertThat(left).hasMessageContaining("1 message was never received"); // the first bucket of rank 0's step
        assertThat(all)
                .hasSize(2)
                .allMatch(m -> m.startsWith(
                        "the ranks do not do the same: rank 0 calls Step.sync(), rank 1 calls" + " close()"));
    }

    @Test
    void ncclWithoutAGpuNamesAlternatives() {
        assumeTrue(gpus().findAny().isEmpty(), "skipped, because there is a GPU");
        // this process forms a group with a single rank
        assertThatThrownBy(() -> ProcessGroup.init("nccl", ProcessGroup.DEFAULT_TIMEOUT))
                .isInstanceOf(TrainingException.class)
                .hasMessageStartingWith("backend nccl needs a device of kind cuda or hip for each rank, and rank 0 of 1"
                        + " has none; use gloo or mpi without devices, or DeviceGroup.init for any available device;"
                        + " devices of this rank, 0:\n")
                .hasMessageContaining("libcuda");
        Tutti.local(2, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                assertThatThrownBy(() -> new Nccl().connect(group, "rccl"))
                        .hasMessageStartingWith(
                                "backend rccl needs a device of kind hip for each rank, and ranks 0, 1 of 2 have none");
            }
        });
    }
}
