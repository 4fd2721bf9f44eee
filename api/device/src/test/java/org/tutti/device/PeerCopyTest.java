package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.gpu.FakeLibrary;
import org.tutti.device.gpu.Prototypes;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;

/// Copies between devices of the same process, performed by the driver if possible.
class PeerCopyTest {
    private static final String PEER = "cuMemcpyPeerAsync", INSIDE = "cuMemcpyDtoDAsync_v2";
    private static final String TO_HOST = "cuMemcpyDtoHAsync_v2";

    private final FakeGpu gpu = new FakeGpu(false);
    private final FakeLibrary library = new FakeLibrary(Prototypes.CUDA, gpu);

    private interface Fact {
        void check(Device first, Device second);
    }

    private void onTwo(int first, int second, Fact fact) {
        List<DeviceDriver> drivers = FakeDevices.open(gpu, library, first, second);
        try (Device one = new Device(drivers.get(0), 1);
                Device two = new Device(drivers.get(1), 1)) {
            fact.check(one, two);
        }
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void theDriverCopiesFromOneToTheOther() {
        onTwo(0, 1, (one, two) -> {
            DeviceBuffer from = one.of(1, 2, 3, 4), to = two.zeros(Datatype.INT, 2), back = one.of(9);
            library.forgetCalls();
            to.copyFrom(from.slice(1, 2));
            back.copyFrom(to.slice(1, 1));
            assertThat(library.calls()).contains(PEER).doesNotContain(TO_HOST);
            assertThat(to.toInts()).containsExactly(2, 3);
            assertThat(back.toInts()).containsExactly(3);
            assertThat(FakeDevices.peers(gpu)).containsExactly("1 reaches 0", "0 reaches 1");
            two.zeros(Datatype.INT, 0).copyFrom(one.zeros(Datatype.INT, 0));
        });
    }

    @Test
    void aCopyOnAStreamReturnsAtOnceAndKeepsTheOrder() {
        onTwo(0, 1, (one, two) -> {
            DeviceStream writes = one.newStream(), copies = two.newStream();
            DeviceBuffer start = one.of(7, 7), from = one.zeros(Datatype.INT, 2), to = two.zeros(Datatype.INT, 2);
            gpu.hold();
            from.copyFrom(start, writes);
            to.copyFrom(from, copies);
            from.fill(8);
            Event copied = copies.record();
            assertThat(copied.isComplete()).isFalse();
            gpu.proceed();
            assertThat(to.toInts()).containsExactly(7, 7);
            assertThat(from.toInts()).containsExactly(8, 8);
            assertThatThrownBy(() -> to.copyFrom(from, writes))
                    .hasMessage("cuda:1: copyFrom: the stream is of cuda:0, another device");
        });
    }

    @Test
    void aDriverThatIsOldOrDevicesThatAreNotConnectedChangeNoResult() {
        FakeDevices.disconnect(gpu);
        onTwo(0, 1, (one, two) -> {
            DeviceBuffer from = one.of(1, 2), to = two.zeros(Datatype.INT, 2);
            to.copyFrom(from);
            assertThat(to.toInts()).containsExactly(1, 2);
            assertThat(FakeDevices.peers(gpu)).isEmpty();
        });
        library.without(PEER).forgetCalls();
        onTwo(0, 1, (one, two) -> {
            DeviceBuffer from = one.of(3, 4), to = two.zeros(Datatype.INT, 2);
            to.copyFrom(from);
            assertThat(library.calls()).contains(TO_HOST);
            assertThat(to.toInts()).containsExactly(3, 4);
        });
    }

    @Test
    void aDeviceThatWasOpenedTwiceCopiesInside() {
        onTwo(0, 0, (one, two) -> {
            DeviceBuffer from = one.of(1, 2), to = two.zeros(Datatype.INT, 2);
            library.forgetCalls();
            to.copyFrom(from);
            assertThat(library.calls()).contains(INSIDE).doesNotContain(PEER, TO_HOST);
            assertThat(to.toInts()).containsExactly(1, 2);
        });
    }

    @Test
    void errorsAreOfTheDeviceThatCopies() {
        onTwo(0, 1, (one, two) -> {
            DeviceBuffer mine = one.of(1), its = two.of(2);
            library.fail("COPY_PEER_ASYNC", 1);
            assertThatThrownBy(() -> its.copyFrom(mine)).hasMessageStartingWith("cuda:1: cuMemcpyPeerAsync(to=0x");
            library.fail("COPY_PEER_ASYNC", 1);
            assertThatThrownBy(() -> mine.copyFrom(its))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith("cuda:0: cuMemcpyPeerAsync(to=0x")
                    .hasMessageEndingWith(", bytes=4): CUDA_ERROR_INVALID_VALUE (1)");
            its.free();
            assertThatThrownBy(() -> mine.copyFrom(its)).hasMessage("cuda:1: this buffer of 1 INT was freed");
            two.close();
            assertThatThrownBy(() -> mine.copyFrom(its)).hasMessage("cuda:1: the device was closed");
        });
    }

    /// Each copy reads from the device to which the other copy writes.
    @Test
    void copiesInBothDirectionsAtOnceEnd() throws Exception {
        try (Device one = Device.get("host");
                Device two = Device.get("host")) {
            DeviceBuffer a = one.zeros(Datatype.INT, 1000), b = two.zeros(Datatype.INT, 1000);
            CompletableFuture<Void> there = CompletableFuture.runAsync(() -> copies(a, b));
            CompletableFuture<Void> back = CompletableFuture.runAsync(() -> copies(b, a));
            CompletableFuture.allOf(there, back).get(5, TimeUnit.MINUTES);
            assertThat(a.toInts()).containsOnly(0);
        }
    }

    private static void copies(DeviceBuffer from, DeviceBuffer to) {
        for (int i = 0; i < 10_000; i++) to.copyFrom(from);
    }
}
