package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup.PendingAllreduce;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.GradientBucket;
import org.tutti.train.model.GradientListener;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.model.TensorStorage.OnDevice;

/// Data parallelism of a model in device memory, simulated by a table of addresses.
class DeviceModelTest {
    /// A device with addresses that do not refer to memory of this process.
    private static final class Device {
        private final Map<Long, MemorySegment> memory = new HashMap<>();

        OnDevice shown(MemorySegment numbers) {
            memory.put(1L + memory.size(), numbers);
            return new There(memory.size(), numbers.byteSize());
        }

        private record There(long address, long sizeBytes) implements OnDevice {
            @Override
            public String device() {
                return "fake:0";
            }

            @Override
            public void copyTo(MemorySegment target) {
                throw new AssertionError("no copy expected");
            }

            @Override
            public void copyFrom(MemorySegment source) {
                throw new AssertionError("no copy expected");
            }
        }

        MemorySegment reached(TensorStorage storage) {
            OnDevice there = (OnDevice) storage;
            return memory.get(there.address());
        }
    }

    private static final class ModelThere implements DataParallelModel {
        private final TinyModel inside;
        private final Device device;
        private final List<Tensor> parameters = new ArrayList<>();

        ModelThere(TinyModel inside, Device device) {
            this.inside = inside;
            this.device = device;
            for (Tensor p : inside.parameters()) parameters.add(new Tensor(p.spec(), device.shown(p.data())));
        }

        @Override
        public List<Tensor> parameters() {
            return parameters;
        }

        @Override
        public boolean hasGradient(int i) {
            return inside.hasGradient(i);
        }

        @Override
        public void scaleGradient(int i, double factor) {
            inside.scaleGradient(i, factor);
        }

        @Override
        public double squaredNorm(int i) {
            return inside.squaredNorm(i);
        }

        @Override
        public boolean setGradientListener(GradientListener listener) {
            return inside.setGradientListener(listener);
        }

        @Override
        public GradientBucket createBucket(List<Integer> chosen, @Nullable LongFunction<MemorySegment> memory) {
            GradientBucket smallBucket =
                    inside.createBucket(chosen, bytes -> Arena.ofAuto().allocate(bytes, 8));
            OnDevice there = device.shown(smallBucket.storage().memory("a test"));
            return (GradientBucket) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {GradientBucket.class},
                    (_, method, arguments) ->
                            method.getName().equals("storage") ? there : method.invoke(smallBucket, arguments));
        }
    }

    /// A group that accesses the device by copies.
    private static ProcessGroup reaching(Device device, ProcessGroup group) {
        return (ProcessGroup) Proxy.newProxyInstance(
                DeviceModelTest.class.getClassLoader(), new Class<?>[] {ProcessGroup.class}, (_, method, arguments) -> {
                    boolean isThere = arguments != null && arguments[0] instanceof OnDevice;
                    if (!isThere) {
                        try {
                            return method.invoke(group, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                    MemorySegment numbers = device.reached((TensorStorage) arguments[0]);
                    if (method.getName().equals("broadcast")) {
                        group.broadcast(numbers, (int) arguments[1]);
                        return null;
                    }
                    MemorySegment copy =
                            Arena.ofAuto().allocate(numbers.byteSize(), 8).copyFrom(numbers);
                    PendingAllreduce pending =
                            group.startAllreduce(TensorStorage.of(copy), (DType) arguments[1], ProgressMode.CALLS);
                    return (PendingAllreduce) () -> {
                        pending.await();
                        numbers.copyFrom(copy);
                    };
                });
    }

    private static double[] trained(ProcessGroup group, TinyModel numbers, DataParallelModel model) {
        try (var ddp = DistributedDataParallel.of(
                model, group, Options.DEFAULTS.withFirstBucketBytes(16).withBucketBytes(100))) {
            for (int i = 0; i < 10; i++) {
                try (Step step = ddp.step(2)) {
                    numbers.backward(new int[] {6 * i + group.rank(), 6 * i + 3 + group.rank()}, 0);
                    step.sync();
                    step.clipGradNorm(0.5);
                    numbers.descend(0.1);
                }
            }
        }
        return numbers.all();
    }

    @Test
    void nothingReadsOrWritesADevicesMemoryButModelAndGroup() {
        double[] smallBucket = Ranks.run(3, g -> {
                    TinyModel numbers = new TinyModel(DType.F32, true, g.rank());
                    return trained(g, numbers, numbers);
                })
                .getFirst();
        List<double[]> there = Ranks.run(3, g -> {
            Device device = new Device();
            TinyModel numbers = new TinyModel(DType.F32, true, g.rank());
            return trained(reaching(device, g), numbers, new ModelThere(numbers, device));
        });
        for (double[] one : there) assertThat(one).isEqualTo(smallBucket);
    }

    @Test
    void aGroupWithoutAccessToADeviceIsReported() {
        Ranks.run(2, group -> {
            ModelThere model = new ModelThere(new TinyModel(DType.F32, true, 1), new Device());
            assertThatThrownBy(() -> DistributedDataParallel.of(model, group))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ProcessGroup.broadcast over shm supports only CPU memory, and these 140"
                            + " bytes are on fake:0; use a DeviceGroup (tutti-train-device), or copy the data to the"
                            + " CPU with read()");
            return true;
        });
    }
}
