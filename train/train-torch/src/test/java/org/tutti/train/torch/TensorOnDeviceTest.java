package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.train.torch.Trials.onRanks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tutti.device.Device;
import org.tutti.train.ProgressMode;
import org.tutti.train.device.DeviceGroup;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage.OnDevice;
import org.tutti.train.torch.tensor.LibTorch;
import org.tutti.train.torch.tensor.TensorOnDevice;
import org.tutti.train.torch.tensor.Tensors.Named;

/// CPU tensors simulate GPU tensors: the group's device is Tutti's device `host`, which accesses CPU memory.
class TensorOnDeviceTest {
    @BeforeAll
    static void load() {
        LibTorch.load();
    }

    private static TensorOnDevice on(String device, float... numbers) {
        return new TensorOnDevice(Tensor.create(numbers), DType.F32, device);
    }

    private static float[] numbers(OnDevice storage) {
        return storage.read().toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void aDeviceGroupReadsAndWritesATensor() {
        onRanks(3, group -> {
            try (Device device = Device.get("host")) {
                DeviceGroup there = DeviceGroup.of(group, device);
                TensorOnDevice t = on("host:0", 1 + group.rank(), 10);
                for (int step = 0; step < 3; step++) {
                    there.startAllreduce(t, DType.F32, ProgressMode.CALLS).await();
                }
                assertThat(numbers(t)).containsExactly(6 * 9, 10 * 27);
                t.write(MemorySegment.ofArray(new float[] {group.rank(), 5}));
                there.broadcast(t, 2);
                assertThat(numbers(t)).containsExactly(2, 5);
                assertThatThrownBy(() -> there.startAllreduce(on("cuda:1", 1), DType.F32, ProgressMode.CALLS))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("a tensor on cuda:1, and this group's rank");
            }
            return true;
        });
    }

    /// The bucket is a tensor on the device, as on a GPU, and not memory of the group.
    @Test
    void gradientsAreSlicesOfOneDeviceTensor() {
        try (PointerScope scope = new PointerScope()) {
            Tensor a = torch.ones(2, 2), b = torch.ones(3);
            for (Tensor t : List.of(a, b)) t.mutable_grad().put(torch.ones_like(t));
            FlatGradients bucket =
                    new FlatGradients(List.of(new Named("a", a), new Named("b", b)), bytes -> MemorySegment.NULL, true);
            OnDevice storage = (OnDevice) bucket.storage();
            assertThat(storage.device()).isEqualTo("cpu");
            assertThat(storage.sizeBytes()).isEqualTo(8 * Float.BYTES);
            bucket.put(0);
            bucket.put(1);
            bucket.setMark(true);
            bucket.scale(0.5);
            assertThat(bucket.isFinite()).isTrue();
            assertThat(numbers(storage)).containsExactly(0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 1);
            assertThat(a.mutable_grad().is_view()).isFalse();

            try (Arena arena = Arena.ofConfined()) {
                storage.copyFrom(arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4, 5, 6, Float.NaN, 2));
            }
            assertThat(bucket.markCount()).isEqualTo(2);
            assertThat(bucket.isFinite(0)).isTrue();
            assertThat(bucket.isFinite(1)).isFalse();
            bucket.take(0);
            assertThat(a.mutable_grad().sum().item_float()).isEqualTo(10);
            bucket.close();
            assertThat(a.mutable_grad().sum().item_float()).isEqualTo(10);
        }
    }
}
