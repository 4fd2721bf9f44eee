package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.job.environment.DeviceSetting;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Tutti;

class DeviceTest {
    @AfterEach
    void nothingIsSet() {
        System.clearProperty(DeviceSetting.PROPERTY);
    }

    @Test
    void theHostIsAlwaysTheLastDevice() {
        assertThat(Device.all()).isNotEmpty();
        assertThat(Device.all().getLast().id()).isEqualTo("host:0");
        assertThat(Device.report()).contains("found host:0: Java");
    }

    @Test
    void missingDeviceIsReportedWithSearchedLocations() {
        assertThatThrownBy(() -> Device.get("opencl:99"))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessageStartingWith("no device opencl:99; searched:\n  opencl: libOpenCL.so.1: ");
    }

    @Test
    void unknownKindIsReportedWithTheKinds() {
        assertThatThrownBy(() -> Device.get("gpu"))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessageStartingWith("'gpu' is not a device name; use KIND or KIND:NUMBER, with one of the kinds ")
                .hasMessageEndingWith("opencl, host");
        assertThatThrownBy(() -> Device.get("host:x")).isInstanceOf(DeviceUnavailableException.class);
    }

    @ParameterizedTest
    @MethodSource("org.tutti.device.TestDevice#kinds")
    void closeReleasesAllObjectsOfTheDevice(String kind) {
        Device device = TestDevice.open(kind);
        DeviceBuffer buffer = device.of(1f);
        DeviceStream stream = device.newStream();
        Event event = stream.record();
        PinnedMemory pinned = device.pinned(8);
        device.close();
        device.close();
        String closed = kind + ":0: the device was closed";
        assertThatThrownBy(buffer::toFloats).isInstanceOf(DeviceException.class).hasMessage(closed);
        assertThatThrownBy(buffer::address).hasMessage(closed);
        assertThatThrownBy(buffer::free).hasMessage(closed);
        assertThatThrownBy(stream::synchronize).hasMessage(closed);
        assertThatThrownBy(event::isComplete).hasMessage(closed);
        assertThatThrownBy(() -> device.zeros(Datatype.INT, 1)).hasMessage(closed);
        assertThatThrownBy(() -> pinned.segment().fill((byte) 0)).isInstanceOf(IllegalStateException.class);
        stream.close();
        event.close();
        pinned.close();
    }

    @ParameterizedTest
    @MethodSource("org.tutti.device.TestDevice#compiled")
    void moreMemoryThanThereIsIsAnErrorWithBoth(String kind) {
        try (Device device = TestDevice.open(kind)) {
            long bytes = device.attributes().memoryBytes();
            assertThatThrownBy(() -> device.allocate(Datatype.BYTE, 4 * bytes))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith(kind + ":0: ")
                    .hasMessageContaining("=" + 4 * bytes + "): ")
                    .hasMessageMatching("(?is).*(no memory|out_of_memory).*");
        }
    }

    @Test
    void ranksTakeTheDevicesThatTheySeeInTurn() {
        List<DeviceAttributes> two = List.of(device(0, "a"), device(1, "b"));
        List<List<String>> all = List.of(List.of("a", "b"), List.of("a", "b"), List.of("a", "b"));
        assertThat(DeviceSelection.divide(two, all, 0)).containsExactly(choice("x:0", 2));
        assertThat(DeviceSelection.divide(two, all, 1)).containsExactly(choice("x:1", 1));
        assertThat(DeviceSelection.divide(two, all, 2)).containsExactly(choice("x:0", 2));
    }

    @Test
    void ranksThatSeeOneDeviceEachTakeThat() {
        List<List<String>> masked = List.of(List.of("b"), List.of("a"), List.of());
        assertThat(DeviceSelection.divide(List.of(device(0, "b")), masked, 0)).containsExactly(choice("x:0", 1));
        assertThat(DeviceSelection.divide(List.of(device(0, "a")), masked, 1)).containsExactly(choice("x:0", 1));
        assertThat(DeviceSelection.divide(List.of(), masked, 2))
                .containsExactly(new DeviceSelection.Choice(null, 0, "no device is visible"));
    }

    @Test
    void rankThatSeesOneDeviceDoesNotShareIt() {
        List<List<String>> masked = List.of(List.of("a", "b"), List.of("a"));
        assertThat(DeviceSelection.divide(List.of(device(0, "a"), device(1, "b")), masked, 0))
                .containsExactly(choice("x:1", 1));
        assertThat(DeviceSelection.divide(List.of(device(0, "a")), masked, 1)).containsExactly(choice("x:0", 1));
    }

    @Test
    void devicesThatAreLeftOverGoToTheRankThatHasTheFewest() {
        List<DeviceAttributes> five =
                List.of(device(0, "a"), device(1, "b"), device(2, "c"), device(3, "d"), device(4, "e"));
        List<String> uuids = List.of("a", "b", "c", "d", "e");
        assertThat(DeviceSelection.divide(five, List.of(uuids), 0)).hasSize(5);
        List<List<String>> two = List.of(uuids, uuids);
        assertThat(DeviceSelection.divide(five, two, 0))
                .containsExactly(choice("x:0", 1), choice("x:2", 1), choice("x:4", 1));
        assertThat(DeviceSelection.divide(five, two, 1)).containsExactly(choice("x:1", 1), choice("x:3", 1));
        List<List<String>> masked = List.of(List.of("a", "b"), List.of("c", "d", "e"));
        assertThat(DeviceSelection.divide(five.subList(0, 2), masked, 0))
                .containsExactly(choice("x:0", 1), choice("x:1", 1));
        assertThat(DeviceSelection.divide(five.subList(2, 5), masked, 1)).hasSize(3);
    }

    @Test
    void devicesAreOpenedByTheirNumbers() {
        List<DeviceAttributes> withoutSecond = List.of(device(0, "a"), device(2, "c"));
        assertThat(List.of(0, 1, 2, 3))
                .filteredOn(i -> DeviceSelection.isThere(withoutSecond, i))
                .containsExactly(0, 2);
    }

    private static DeviceSelection.Choice choice(String id, int ranks) {
        return new DeviceSelection.Choice(id, ranks, null);
    }

    private static DeviceAttributes device(int index, String uuid) {
        return new DeviceAttributes("x", index, "X", uuid, 1, null, "x1", 1, 1, 0, "none");
    }

    @ParameterizedTest
    @MethodSource("org.tutti.device.TestDevice#compiled")
    void ranksOfOneMachineShareItsOnlyDevice(String kind) {
        try (Device device = TestDevice.open(kind)) {
            System.setProperty(DeviceSetting.PROPERTY, kind);
            Map<Integer, String> ids = new ConcurrentHashMap<>();
            Tutti.local(3, mpi -> {
                try (Device mine = Device.forRank(mpi.world())) {
                    ids.put(mpi.world().rank(), mine.id() + " " + mine.ranks());
                }
            });
            int devices = (int) Device.all().stream()
                    .filter(d -> d.kind().equals(device.attributes().kind()))
                    .count();
            if (devices == 1) assertThat(ids.values()).containsOnly(kind + ":0 3");
        }
    }

    @Test
    void theHostCanBeAskedFor() {
        System.setProperty(DeviceSetting.PROPERTY, "host");
        Tutti.local(2, mpi -> {
            try (Device device = Device.forRank(mpi.world())) {
                assertThat(device.id()).isEqualTo("host:0");
            }
        });
    }

    @Test
    void ranksThatALauncherHasNumberedTakeDevicesInTurn() {
        System.setProperty(DeviceSetting.PROPERTY, "opencl");
        long count =
                Device.all().stream().filter(d -> d.kind().equals("opencl")).count();
        for (int local = 0; local < 3 && count > 0; local++) {
            try (Device device = Device.forLocalRank(local)) {
                assertThat(device.id()).isEqualTo("opencl:" + local % count);
            }
        }
        System.setProperty(DeviceSetting.PROPERTY, "host");
        try (Device device = Device.forLocalRank(5)) {
            assertThat(device.id()).isEqualTo("host:0");
        }
        System.setProperty(DeviceSetting.PROPERTY, "abacus");
        assertThatThrownBy(() -> Device.forLocalRank(0))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessageStartingWith("-Dtutti.device=abacus requires a device; searched:\n");
        assertThatThrownBy(() -> Device.forLocalRank(-1)).hasMessage("localRank=-1: must be at least 0");
    }

    @Test
    void aRequiredDeviceThatIsMissingFailsOnAllRanks() {
        System.setProperty(DeviceSetting.PROPERTY, "abacus");
        Map<Integer, String> failures = new ConcurrentHashMap<>();
        try {
            Tutti.local(3, mpi -> {
                try {
                    Device.forRank(mpi.world()).close();
                } catch (DeviceUnavailableException e) {
                    failures.put(mpi.world().rank(), String.valueOf(e.getMessage()));
                }
            });
        } catch (MpiException e) {
            throw new AssertionError(e);
        }
        assertThat(failures.keySet()).containsExactly(0, 1, 2);
        assertThat(failures.get(2))
                .startsWith("-Dtutti.device=abacus requires a device, but ranks [0, 1, 2] of 3 have none; rank 0:"
                        + " unknown kind of device; rank 2 searched:\n");
    }

    /// Each rank uses the local setting; a failure on one rank is reported on all ranks.
    @Test
    void ranksMayHaveSettingsOfTheirOwn() {
        String[] own = {"host", null, "host"};
        Map<Integer, String> ids = new ConcurrentHashMap<>();
        Tutti.local(3, mpi -> {
            int me = mpi.world().rank();
            Device device = DeviceSelection.forRank(mpi.world(), own[me], 1).getFirst();
            ids.put(me, device.attributes().kind());
            device.close();
        });
        assertThat(ids.get(0) + ids.get(2)).isEqualTo("hosthost");
        String[] wrong = {null, "abacus", "host"};
        Map<Integer, String> messages = new ConcurrentHashMap<>();
        Tutti.local(3, mpi -> {
            int me = mpi.world().rank();
            try {
                DeviceSelection.forRank(mpi.world(), wrong[me], 1).getFirst().close();
            } catch (DeviceUnavailableException e) {
                messages.put(me, String.valueOf(e.getMessage()));
            }
        });
        for (int r = 0; r < 3; r++) {
            assertThat(messages.get(r))
                    .startsWith("TUTTI_DEVICE=abacus requires a device, but ranks [1] of 3 have none;");
        }
    }
}
