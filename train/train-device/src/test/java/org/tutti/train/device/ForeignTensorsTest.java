package org.tutti.train.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.PinnedMemory;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Tutti;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.TrainingException;
import org.tutti.train.device.DeviceTrainingTest.Foreign;
import org.tutti.train.model.DType;

/// Tensors in memory of a foreign library.
class ForeignTensorsTest {
    @Test
    void broadcastsOfDifferentSizesAreRefused() {
        ConnectedHosts library = new ConnectedHosts();
        DeviceTrainingTest.connected(2, library, group -> {
            DeviceBuffer memory = group.device().zeros(Datatype.BYTE, group.rank() == 0 ? 16 : 8);
            assertThatThrownBy(() -> group.broadcast(new Foreign(memory), 0))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("broadcast: rank 0 has 16 bytes and rank 1 has 8; all ranks need the same number");
            return true;
        });
        assertThat(library.calls("broadcast")).isZero();
    }

    @Test
    void emptyTensorsAreSummed() {
        DeviceTrainingTest.ranks(2, "host", group -> {
            DeviceBuffer none = group.device().zeros(Datatype.FLOAT, 0);
            group.startAllreduce(new Foreign(none), DType.F32, ProgressMode.CALLS)
                    .await();
            return true;
        });
    }

    @Test
    void pinnedMemoryIsFreed() {
        Tutti.local(2, mpi -> {
            try (Device device = Device.get("host")) {
                DeviceGroup group = DeviceGroup.of(ProcessGroup.of(mpi, mpi.world()), device, null);
                DeviceBuffer memory = device.zeros(Datatype.FLOAT, 4);
                for (int count = 1; count <= 4; count++) {
                    Foreign part = new Foreign(memory.slice(0, count));
                    group.startAllreduce(part, DType.F32, ProgressMode.CALLS).await();
                    assertThat(pinned(device)).isOne();
                }
                group.close();
                assertThat(pinned(device)).isZero();
            }
        });
    }

    private static long pinned(Device device) throws ReflectiveOperationException {
        Field owned = Device.class.getDeclaredField("owned");
        owned.setAccessible(true);
        Collection<?> all = (Collection<?>) owned.get(device);
        return all.stream().filter(PinnedMemory.class::isInstance).count();
    }
}
