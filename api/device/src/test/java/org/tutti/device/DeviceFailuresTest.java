package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.device.host.HostBackend;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.ManagedAllocations;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Resources after a failed call, and arguments that must be rejected.
class DeviceFailuresTest {
    /// The calls of the driver, for example `synchronize[1]`.
    private final List<String> calls = new ArrayList<>();

    /// Allocations above this size fail.
    private long largestBytes = Long.MAX_VALUE;

    private volatile @Nullable Comm duplicate;

    /// Called with the name of each function, before the call is recorded.
    private volatile Consumer<String> beforeCall = name -> {};

    /// Returns a host device whose driver records calls and limits allocations to [#largestBytes].
    private Device recording() {
        DeviceDriver host = new HostBackend().open(0);
        Class<?>[] faces = {DeviceDriver.class, ManagedAllocations.class};
        return TestDevice.of((DeviceDriver) Proxy.newProxyInstance(
                DeviceFailuresTest.class.getClassLoader(), faces, (p, method, a) -> {
                    String name = method.getName();
                    if (name.equals("allocate") && (long) a[0] > largestBytes) {
                        throw new DeviceFault(Reason.NO_MEMORY, "allocate(bytes=" + a[0] + ")");
                    }
                    beforeCall.accept(name);
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

    @Test
    void overlappingOperandsAreRejected() {
        try (Device device = Device.get("host")) {
            ArrayKernels arrays = device.arrays();
            DeviceBuffer x = device.of(1f, 2f, 3f, 4f), other = device.of(1f, 0f, 0f, 1f);
            assertThatThrownBy(() -> arrays.transpose(2, 2, x, x))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage(
                            "host:0: transpose: out (4 FLOAT on host:0) overlaps an operand (4 FLOAT on host:0) that"
                                    + " begins 0 bytes after it; use another buffer for out");
            assertThatThrownBy(() -> arrays.matmul(2, 2, 2, x, other, x)).hasMessageContaining("matmul: c (4 FLOAT");
            assertThatThrownBy(() -> arrays.matmul(2, 2, 2, other, x, x)).hasMessageContaining("matmul: c (4 FLOAT");
            DeviceBuffer first = x.slice(0, 3), second = x.slice(1, 3);
            assertThatThrownBy(() -> arrays.add(first, first, second))
                    .hasMessageEndingWith(
                            "that begins 4 bytes before it; use the same buffer, or one without common elements");
            assertThatThrownBy(() -> arrays.apply(ElementwiseOp.Unary.SQUARE, second, first))
                    .hasMessageContaining("that begins 4 bytes after it");
            assertThatThrownBy(() -> arrays.axpy(1, first, second)).hasMessageContaining("axpy: y (3 FLOAT");
            DeviceBuffer wrapped = device.wrap(first.address(), first.byteSize(), Datatype.FLOAT);
            assertThatThrownBy(() -> second.copyFrom(wrapped)).hasMessageContaining("the two buffers overlap");
            assertThat(x.toFloats()).containsExactly(1, 2, 3, 4);
            arrays.add(first, wrapped, first);
            arrays.axpy(1, x, x);
            arrays.matmul(2, 2, 2, other, other, x);
            assertThat(x.toFloats()).containsExactly(1, 0, 0, 1);
        }
    }

    @Test
    void damagedFileOfTheKernelCacheIsNotUsed(@TempDir Path directory) throws Exception {
        byte[] binary = "a binary of some bytes".getBytes(StandardCharsets.UTF_8);
        CompiledKernels kept = new CompiledKernels(directory, "key");
        kept.write(binary);
        assertThat(kept.read()).isEqualTo(binary);
        byte[] file = Files.readAllBytes(directory.resolve("key"));
        byte[] changed = file.clone();
        changed[file.length - 1]++;
        for (byte[] damaged : List.of(new byte[0], binary, changed, Arrays.copyOf(file, file.length - 1))) {
            Files.write(directory.resolve("key"), damaged);
            assertThat(kept.read()).as("%d bytes", damaged.length).isNull();
        }
        kept.write(binary);
        assertThat(kept.read()).isEqualTo(binary);
    }

    @Test
    void managedMemoryWaitsForMessages() {
        try (Device device = recording()) {
            ManagedBuffer managed = device.allocateManaged(Datatype.INT, 4);
            managed.buffer().started(); // messages copy on stream 1
            calls.clear();
            managed.close();
            assertThat(calls.getFirst()).isEqualTo("synchronize[1]");
            assertThat(calls.getLast()).startsWith("free[");
        }
    }

    /// The stream and the event are closed when the waiting threads have released the device's lock, but have
    /// not yet called the driver.
    @Test
    void waitedForHandlesAreReleasedAfterTheWait() throws Exception {
        try (Device device = recording()) {
            DeviceStream stream = device.newStream();
            Event event = stream.record();
            CountDownLatch waiting = new CountDownLatch(2), closed = new CountDownLatch(1);
            beforeCall = name -> {
                if (!Thread.currentThread().getName().equals("waits")) return;
                waiting.countDown();
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            };
            calls.clear();
            Thread first = Thread.ofPlatform().name("waits").start(event::synchronize);
            Thread second = Thread.ofPlatform().name("waits").start(stream::synchronize);
            waiting.await();
            event.close();
            stream.close();
            closed.countDown();
            first.join();
            second.join();
            assertThat(calls).contains("releaseEvent[2]", "destroyStream[1]");
            assertThat(calls.indexOf("releaseEvent[2]")).isGreaterThan(calls.indexOf("synchronizeEvent[2]"));
            assertThat(calls.indexOf("destroyStream[1]")).isGreaterThan(calls.lastIndexOf("synchronize[1]"));
            assertThatThrownBy(event::synchronize).hasMessage("host:0: this event was closed");
            assertThatThrownBy(stream::synchronize).hasMessage("host:0: this stream was closed");
        }
    }

    @Test
    void failedConnectionClosesItsCommunicator() {
        CollectiveLibrary broken = (CollectiveLibrary) Proxy.newProxyInstance(
                DeviceFailuresTest.class.getClassLoader(), new Class<?>[] {CollectiveLibrary.class}, (p, method, a) -> {
                    if (method.getName().equals("deviceKind")) return "host";
                    if (!method.getName().equals("connect")) return "broken";
                    duplicate = (Comm) a[0];
                    throw new IllegalStateException("no library");
                });
        Tutti.local(1, mpi -> {
            try (Device device = Device.get("host")) {
                assertThatThrownBy(() -> DeviceComm.of(mpi.world(), device, List.of(broken)))
                        .hasMessage("no library");
            }
            assertThatThrownBy(() -> Objects.requireNonNull(duplicate).barrier())
                    .isInstanceOf(MpiException.class);
        });
    }

    @Test
    void failedCopiesFreeTheNewBuffer() {
        try (Devices devices = Devices.of(recording(), recording())) {
            Device device = devices.get(0);
            DeviceBuffer x = device.of(1f);
            calls.clear();
            beforeCall = name -> {
                if (List.of("copyIn", "copyOut", "fill").contains(name)) throw new DeviceFault(Reason.FAILED, name);
            };
            List<ThrowingCallable> makers = List.of(
                    () -> device.of(1f),
                    () -> device.of(1.0),
                    () -> device.of(1),
                    () -> device.of(1L),
                    () -> device.zeros(Datatype.INT, 1),
                    () -> device.arrays().sum(x),
                    () -> devices.shard(new int[2]),
                    () -> devices.replicate(new int[2]),
                    () -> devices.zeros(Datatype.INT, 1));
            for (ThrowingCallable maker : makers) {
                assertThatThrownBy(maker).isInstanceOf(DeviceException.class);
                assertThat(count("free")).isEqualTo(count("allocate"));
            }
            beforeCall = name -> {};
        }
    }

    @Test
    void gridsThatCannotBeHaveTheirNumbersInTheError() {
        assertThatThrownBy(() -> Dim.blocks(1L << 40, 256))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Dim.blocks: elements=1099511627776, threads=256 are 4294967296 blocks; at most 2147483647");
        assertThatThrownBy(() -> Dim.blocks(5, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Dim.blocks: threads=0: must be at least 1");
        assertThat(Dim.blocks(0, 256)).isEqualTo(Dim.of(1));
    }
}
