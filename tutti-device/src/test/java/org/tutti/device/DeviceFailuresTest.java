package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.device.host.HostBackend;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Resources after a failed call, and arguments that must be rejected.
class DeviceFailuresTest {
    /// The calls of the driver, as `synchronize[1]`.
    private final List<String> calls = new ArrayList<>();

    /// Allocations above this size fail.
    private long largestBytes = Long.MAX_VALUE;

    /// A host whose driver records calls and has little memory.
    private Device recording() {
        DeviceDriver host = new HostBackend().open(0);
        Class<?>[] faces = {DeviceDriver.class};
        return TestDevice.of((DeviceDriver) Proxy.newProxyInstance(
                DeviceFailuresTest.class.getClassLoader(), faces, (p, method, a) -> {
                    String name = method.getName();
                    if (name.equals("allocate") && (long) a[0] > largestBytes) {
                        throw new DeviceFault(Reason.NO_MEMORY, "allocate(bytes=" + a[0] + ")");
                    }
                    synchronized (calls) {
                        calls.add(name + (a == null ? "" : List.of(a)));
                    }
                    try {
                        return method.invoke(host, a);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private long count(String call) {
        return calls.stream().filter(each -> each.startsWith(call + "[")).count();
    }

    @Test
    void pinnedMemoryWaitsForAllItsStreams() {
        try (Device device = recording()) {
            DeviceStream first = device.newStream(), second = device.newStream();
            DeviceBuffer x = device.zeros(Datatype.INT, 2), y = device.zeros(Datatype.INT, 2);
            PinnedMemory pinned = device.pinned(16);
            x.copyFrom(pinned, 0, first);
            y.copyTo(pinned, 8, second);
            calls.clear();
            pinned.close();
            assertThat(calls.subList(0, 2)).containsExactlyInAnyOrder("synchronize[1]", "synchronize[2]");
        }
    }

    @Test
    void javaKernelRejectsBufferOfAnotherDevice() {
        try (Device one = Device.get("host");
                Device other = Device.get("host")) {
            Kernel kernel = one.kernel("zero", (thread, a) -> a.set(0, 0, 0));
            DeviceBuffer x = other.of(1);
            assertThatThrownBy(() -> kernel.launch(Dim.of(1), Dim.of(1), x))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage("host:0: kernel zero: argument 0 is a buffer of host:0, another device");
            assertThat(x.toInts()).containsExactly(1);
        }
    }

    @Test
    void rejectedReductionFreesItsMemory() {
        try (Device device = recording()) {
            DeviceBuffer none = device.zeros(Datatype.INT, 0), bytes = device.zeros(Datatype.BYTE, 1);
            calls.clear();
            assertThatThrownBy(() -> device.arrays().min(none)).hasMessageContaining("min: the buffer has no elements");
            assertThatThrownBy(() -> device.arrays().sum(bytes)).hasMessageContaining("sum: elements of BYTE");
            assertThat(count("allocate")).isEqualTo(count("free"));
        }
    }

    @Test
    void reductionWorksAfterOutOfMemory() {
        try (Devices devices = Devices.of(recording(), recording())) {
            ShardedBuffer few = devices.zeros(Datatype.INT, 8), many = devices.zeros(Datatype.INT, 8_000);
            devices.allreduce(few, Op.SUM);
            largestBytes = 1_000;
            assertThatThrownBy(() -> devices.allreduce(many, Op.SUM)).hasMessageContaining("allocate(bytes=");
            few.shard(1).fill(3L);
            devices.allreduce(few, Op.SUM);
            assertThat(few.shard(0).toInts()).containsOnly(3);
        }
    }
}
