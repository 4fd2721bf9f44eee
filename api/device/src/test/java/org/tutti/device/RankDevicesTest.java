package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.environment.DeviceSetting;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// [Devices] of ranks.
class RankDevicesTest {
    @AfterEach
    void nothingIsSet() {
        System.clearProperty(DeviceSetting.PROPERTY);
    }

    @Test
    void aDeviceIsThereAndOnlyOnce() {
        assertThatThrownBy(Devices::of).hasMessage("Devices.of: at least one device is needed");
        try (Device host = Device.get("host")) {
            assertThatThrownBy(() -> Devices.of(host, host))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith("Devices.of: a device is passed twice, in [host:0 (")
                    .hasMessageEndingWith("; Device.get opens it again as a separate device");
            assertThatThrownBy(() -> Devices.of(host, null))
                    .hasMessageStartingWith("Devices.of: a device is null, in ");
        }
    }

    @ParameterizedTest
    @MethodSource("org.tutti.device.TestDevice#kinds")
    void ranksHaveAsManyDevicesAsTheyAskFor(String kind) {
        TestDevice.open(kind).close();
        System.setProperty(DeviceSetting.PROPERTY, kind);
        Tutti.local(2, mpi -> {
            int count = mpi.world().rank() + 2;
            try (Devices devices = Devices.forRank(mpi.world(), count)) {
                assertThat(devices.count()).isEqualTo(count);
                assertThat(devices.all()).allMatch(device -> device.id().startsWith(kind + ":"));
            }
            try (Devices devices = Devices.forRank(mpi.world())) {
                assertThat(devices.count()).isPositive();
            }
            assertThatThrownBy(() -> Devices.forRank(mpi.world(), 0))
                    .hasMessage("Devices.forRank: count=0 must be at least 1");
        });
    }

    /// Ranks with different numbers of devices: device d of rank r has the value 10 r + d.
    @ParameterizedTest
    @MethodSource("org.tutti.device.TestDevice#kinds")
    @Tag("ci")
    void sumsAndMeansAreOfAllDevicesOfAllRanks(String kind) {
        TestDevice.open(kind).close();
        System.setProperty(DeviceSetting.PROPERTY, kind);
        Tutti.local(3, mpi -> {
            int rank = mpi.world().rank();
            try (Devices devices = Devices.forRank(mpi.world(), rank + 1)) {
                double[] values = new double[2 * (rank + 1)];
                for (int i = 0; i < values.length; i++) values[i] = 10 * rank + i / 2;
                ShardedBuffer sums = devices.shard(values), means = devices.shard(values), most = devices.shard(values);
                devices.allreduce(sums, Op.SUM, mpi.world());
                devices.mean(means, mpi.world());
                devices.allreduce(most, Op.MAX, mpi.world());
                double[] expected = new double[values.length];
                Arrays.fill(expected, 10 + 11 + 20 + 21 + 22);
                assertThat(sums.toDoubles()).isEqualTo(expected);
                Arrays.fill(expected, (10 + 11 + 20 + 21 + 22) / 6.0);
                assertThat(means.toDoubles()).isEqualTo(expected);
                Arrays.fill(expected, 22);
                assertThat(most.toDoubles()).isEqualTo(expected);
            }
        });
    }
}
