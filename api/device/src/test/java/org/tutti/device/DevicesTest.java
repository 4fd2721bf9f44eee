package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Several devices of a process. A test opens one device (the host, the first OpenCL device, or the first GPU of
/// a kind) once or twice, or opens two devices: one of the two is the host, and one is opened twice.
@ParameterizedClass
@MethodSource("kinds")
class DevicesTest {
    /// By default, OpenCL is used only together with the host: PoCL needs some tenths of a second for a new
    /// kernel.
    static List<String> kinds() {
        List<String> all = new ArrayList<>(List.of("host", "host host", "opencl host opencl"));
        if (Boolean.getBoolean("tutti.full")) {
            all.addAll(List.of("opencl", "opencl opencl", "host opencl host"));
        }
        TestDevice.gpus().forEach(gpu -> all.addAll(List.of(gpu, gpu + " " + gpu, gpu + " host " + gpu)));
        return all;
    }

    private static final String SQUARE = """
            extern "C" __global__ void square(int n, float a, const float* x, float* y) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] = a * x[i] * x[i];
            }
            """;

    private static final HostKernel SQUARE_IN_JAVA = (thread, a) -> {
        int i = thread.x();
        if (i < a.intValue(0)) a.set(3, i, a.floatValue(1) * a.getFloat(2, i) * a.getFloat(2, i));
    };

    private final Devices devices;
    private final int n;

    DevicesTest(String kinds) {
        List<Device> all = new ArrayList<>();
        for (String kind : kinds.split(" ")) all.add(TestDevice.open(kind));
        devices = Devices.of(all.toArray(Device[]::new));
        n = all.size();
    }

    @AfterEach
    void close() {
        devices.close();
    }

    private String id(int device) {
        return devices.get(device).id();
    }

    private static int[] upTo(int count) {
        return IntStream.range(0, count).toArray();
    }

    @Test
    void shardsAreEqualPartsAndReplicasCopies() {
        ShardedBuffer parts = devices.shard(upTo(4 * n)), copies = devices.replicate(new double[] {1, 2});
        for (int d = 0; d < n; d++) {
            assertThat(parts.shard(d).owner()).isSameAs(devices.get(d));
            assertThat(parts.shard(d).toInts()).containsExactly(4 * d, 4 * d + 1, 4 * d + 2, 4 * d + 3);
            assertThat(copies.shard(d).toDoubles()).containsExactly(1, 2);
        }
        assertThat(parts.toInts()).isEqualTo(upTo(4 * n));
        assertThat(copies.toDoubles()).hasSize(2 * n).endsWith(1, 2);
        assertThat(devices.shard(new long[n]).toLongs()).hasSize(n).containsOnly(0);
        assertThat(devices.replicate(new float[] {3}).toFloats()).hasSize(n).containsOnly(3);
        assertThat(devices.zeros(Datatype.FLOAT, 2).toFloats()).hasSize(2 * n).containsOnly(0);
        assertThat(devices.shard(new float[0]).toFloats()).isEmpty();
        assertThat(parts.count()).isEqualTo(4L * n);
        assertThat(parts.shardCount()).isEqualTo(4);
        assertThat(parts).hasToString(n + " × 4 INT");
    }

    @Test
    void unequalShardsAreReportedWithNumbers() {
        if (n == 1) return;
        assertThatThrownBy(() -> devices.shard(new float[4 * n + 1]))
                .isInstanceOf(DeviceException.class)
                .hasMessage("shard: " + (4 * n + 1) + " elements cannot be divided equally among " + n
                        + " devices: 1 would be left over");
        assertThatThrownBy(() -> devices.shard(new int[n]).toFloats())
                .hasMessage("shards of INT cannot be read as FLOAT");
    }

    @Test
    void aFunctionIsRunOnEveryDevice() {
        ShardedBuffer x = devices.shard(upTo(3 * n)), y = devices.replicate(new int[] {10, 20, 30});
        ShardedBuffer sums = devices.map(
                (device, in) -> {
                    DeviceBuffer out = device.zeros(Datatype.INT, 3);
                    device.arrays().add(in[0], in[1], out);
                    return out;
                },
                x,
                y);
        int[] expected = new int[3 * n];
        for (int i = 0; i < expected.length; i++) expected[i] = i + 10 * (i % 3 + 1);
        assertThat(sums.toInts()).isEqualTo(expected);
        assertThat(devices.map((device, in) -> in[0], x).toInts()).isEqualTo(upTo(3 * n));
    }

    /// Each function waits until all functions are running.
    @Test
    void allDevicesWorkAtTheSameTime() {
        CyclicBarrier barrier = new CyclicBarrier(n);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        devices.map((device, in) -> {
            threads.add(Thread.currentThread());
            barrier.await();
            return device.zeros(Datatype.INT, 1);
        });
        assertThat(threads).hasSize(n);
    }

    @Test
    void aFunctionMayMapAnotherOne() {
        ShardedBuffer x = devices.shard(upTo(n));
        AtomicInteger inner = new AtomicInteger();
        devices.map(
                (device, in) -> {
                    devices.map(
                            (other, its) -> {
                                inner.incrementAndGet();
                                return its[0];
                            },
                            x);
                    return in[0];
                },
                x);
        assertThat(inner).hasValue(n * n);
    }

    @Test
    void aKernelRunsOnEveryDevice() {
        float[] data = new float[100 * n];
        for (int i = 0; i < data.length; i++) data[i] = i;
        ShardedBuffer x = devices.shard(data), y = devices.zeros(Datatype.FLOAT, 100);
        ShardedKernel square = devices.kernel("square", SQUARE, SQUARE_IN_JAVA);
        square.launch(Dim.blocks(100, 32), Dim.of(32), 100, 2f, x, y);
        float[] squares = y.toFloats();
        for (int i = 0; i < squares.length; i++) assertThat(squares[i]).isEqualTo(2f * i * i);
        assertThatThrownBy(() -> square.launch(Dim.of(1), Dim.of(1), 100, 2, x, y))
                .isInstanceOf(DeviceException.class)
                .hasMessage("launch on device 0 of " + n + ": " + id(0)
                        + ": kernel square: argument 1 for float a is Integer 2, must be a Float, such as 2f")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(n - 1));
        assertThatThrownBy(() -> devices.kernel("square", "nothing", SQUARE_IN_JAVA))
                .isInstanceOf(DeviceException.class)
                .hasMessageStartingWith(id(0) + ": ");
    }

    @Test
    void allFinishWhenSomeFailAndTheFirstOfThemIsNamed() {
        ShardedBuffer x = devices.shard(upTo(n));
        AtomicInteger finished = new AtomicInteger();
        assertThatThrownBy(() -> devices.map(
                        (device, in) -> {
                            if (device == devices.get(n - 1)) throw new IOException("the last one");
                            Thread.sleep(20);
                            finished.incrementAndGet();
                            return in[0];
                        },
                        x))
                .isInstanceOf(DeviceException.class)
                .hasMessage("map on device " + (n - 1) + " of " + n + ": " + id(n - 1)
                        + ": java.io.IOException: the last one")
                .hasCauseInstanceOf(IOException.class);
        assertThat(finished).hasValue(n - 1);
        assertThatThrownBy(() -> devices.map((device, in) -> {
                    throw new AssertionError(device.id());
                }))
                .hasMessage("map on device 0 of " + n + ": " + id(0) + ": java.lang.AssertionError: " + id(0))
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(n - 1))
                .satisfies(e -> {
                    if (n > 1) {
                        assertThat(e.getSuppressed()[0])
                                .hasMessage("map on device 1 of " + n + ": " + id(1) + ": java.lang.AssertionError: "
                                        + id(1));
                    }
                });
        assertThat(devices.map((device, in) -> in[0], x).toInts()).isEqualTo(upTo(n));
    }

    @Test
    void wrongResultsAreErrors() {
        assertThatThrownBy(() -> devices.map((device, in) -> null))
                .hasMessage("map on device 0 of " + n + ": " + id(0) + ": the function returned null");
        try (Device other = Device.get("host")) {
            DeviceBuffer foreign = other.of(1f);
            assertThatThrownBy(() -> devices.map((device, in) -> foreign))
                    .hasMessage("map on device 0 of " + n + ": " + id(0)
                            + ": the function returned a buffer of another device, 1 FLOAT on host:0");
        }
        if (n == 1) return;
        assertThatThrownBy(() ->
                        devices.map((device, in) -> device.zeros(Datatype.INT, device == devices.get(1) ? 2 : 1)))
                .hasMessageStartingWith("map: the results do not match: [1 INT on " + id(0) + ", 2 INT on ");
    }

    @Test
    void shardsOfOtherDevicesAreErrors() {
        try (Devices foreignDevices = Devices.of(Device.get("host"))) {
            ShardedBuffer foreign = foreignDevices.shard(new float[] {1});
            String text = ": the shards (1 × 1 FLOAT) belong to other devices than " + devices;
            assertThatThrownBy(() -> devices.map((device, in) -> in[0], foreign))
                    .hasMessage("map" + text);
            assertThatThrownBy(() -> devices.allreduce(foreign, Op.SUM)).hasMessage("allreduce" + text);
            assertThatThrownBy(() -> devices.mean(foreign)).hasMessage("mean" + text);
        }
    }

    /// The expected values are combined sequentially, in device order, and must have the same bits.
    @Test
    @Tag("ci")
    void allreduceCombinesInTheOrderOfTheDevices() {
        for (int count : new int[] {0, 1, 2, n, 1001}) {
            SplittableRandom random = new SplittableRandom(count);
            float[] data = new float[n * count];
            for (int i = 0; i < data.length; i++) data[i] = random.nextFloat(-1, 1);
            float[] sums = new float[count], least = new float[count];
            for (int i = 0; i < count; i++) {
                sums[i] = least[i] = data[i];
                for (int d = 1; d < n; d++) {
                    sums[i] += data[d * count + i];
                    least[i] = Math.min(least[i], data[d * count + i]);
                }
            }
            ShardedBuffer x = devices.shard(data), y = devices.shard(data);
            devices.allreduce(x, Op.SUM);
            devices.allreduce(y, Op.MIN);
            for (int d = 0; d < n; d++) {
                assertThat(x.shard(d).toFloats()).isEqualTo(sums);
                assertThat(y.shard(d).toFloats()).isEqualTo(least);
            }
        }
        ShardedBuffer ints = devices.replicate(new int[] {2, -3});
        devices.allreduce(ints, Op.PROD);
        assertThat(ints.shard(n - 1).toInts()).containsExactly((int) Math.pow(2, n), (int) Math.pow(-3, n));
        devices.allreduce(ints, Op.MAX);
        assertThat(ints.shard(0).toInts()).containsExactly((int) Math.pow(2, n), (int) Math.pow(-3, n));
    }

    @Test
    void meanDividesByTheNumberOfDevices() {
        float[] data = new float[2 * n];
        for (int i = 0; i < data.length; i++) data[i] = i;
        ShardedBuffer x = devices.shard(data);
        devices.mean(x);
        for (int d = 0; d < n; d++) assertThat(x.shard(d).toFloats()).containsExactly(n - 1, n);
        assertThatThrownBy(() -> devices.mean(devices.shard(new int[n])))
                .hasMessage("mean: elements of INT; supported: FLOAT and DOUBLE");
        assertThatThrownBy(() -> devices.allreduce(x, Op.LAND))
                .hasMessage("allreduce: op=LAND; supported between devices: SUM, PROD, MIN and MAX");
        ShardedBuffer bytes = devices.zeros(Datatype.BYTE, 1);
        assertThatThrownBy(() -> devices.allreduce(bytes, Op.SUM))
                .hasMessage("allreduce: elements of BYTE; supported between devices: [FLOAT, DOUBLE, INT, LONG]");
    }

    @Test
    void useAfterFreeOrCloseIsReported() {
        ShardedBuffer x = devices.shard(upTo(n));
        x.free();
        assertThatThrownBy(x::toInts).hasMessage(id(0) + ": this buffer of 1 INT was freed");
        assertThatThrownBy(() -> devices.allreduce(x, Op.SUM))
                .satisfies(e -> assertThat(e).hasMessageContaining("was freed"));
        devices.close();
        devices.close();
        assertThatThrownBy(() -> devices.zeros(Datatype.INT, 1)).hasMessage(id(0) + ": the device was closed");
        assertThatThrownBy(() -> devices.map((device, in) -> device.zeros(Datatype.INT, 1)))
                .hasMessageContaining("map: these devices were closed");
    }
}
