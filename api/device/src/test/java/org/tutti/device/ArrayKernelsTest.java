package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.device.gpu.FakeDevices;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.gpu.FakeMatrices;
import org.tutti.mpi.Datatype;

@ParameterizedClass
@MethodSource("kinds")
class ArrayKernelsTest {
    private static final int N = 3001;

    /// PoCL needs some tenths of a second for a new kernel, so these tests use OpenCL only with
    /// `-Dtutti.full=true`.
    static List<String> kinds() {
        return TestDevice.kinds().filter(kind -> FULL || !kind.equals("opencl")).toList();
    }

    private static final boolean FULL = Boolean.getBoolean("tutti.full");

    private final Device device;
    private final ArrayKernels arrays;

    ArrayKernelsTest(String kind) {
        device = TestDevice.open(kind);
        arrays = device.arrays();
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static float[] floats(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[N];
        for (int i = 0; i < N; i++) values[i] = random.nextFloat(0.1f, 4);
        return values;
    }

    private static double[] doubles(float[] values) {
        double[] same = new double[values.length];
        for (int i = 0; i < same.length; i++) same[i] = values[i];
        return same;
    }

    @Test
    void elementwiseOnFloats() {
        float[] a = floats(1), b = floats(2);
        DeviceBuffer x = device.of(a), y = device.of(b), out = device.zeros(Datatype.FLOAT, N);
        for (Binary op : Binary.values()) {
            arrays.apply(op, x, y, out);
            float[] results = out.toFloats();
            for (int i = 0; i < N; i++) {
                float expected = (float) op.of((double) a[i], b[i]);
                assertThat(results[i]).as("%s %d", op, i).isCloseTo(expected, within(4e-5f));
            }
        }
        for (Unary op : Unary.values()) {
            arrays.apply(op, x, out);
            float[] results = out.toFloats();
            for (int i = 0; i < N; i++) {
                float expected = (float) op.of((double) a[i]);
                assertThat(results[i]).as("%s %d", op, i).isCloseTo(expected, within(1e-4f));
            }
        }
    }

    /// Compiles each kernel for a second type.
    @Test
    @Tag("full")
    void elementwiseOnDoubles() {
        float[] a = floats(1), b = floats(2);
        DeviceBuffer x = device.of(doubles(a)), y = device.of(doubles(b)), out = device.zeros(Datatype.DOUBLE, N);
        for (Binary op : Binary.values()) {
            arrays.apply(op, x, y, out);
            double[] results = out.toDoubles();
            for (int i = 0; i < N; i++) {
                double expected = op.of((double) a[i], b[i]);
                assertThat(results[i]).as("%s %d", op, i).isCloseTo(expected, within(1e-12));
            }
        }
        for (Unary op : Unary.values()) {
            arrays.apply(op, x, out);
            double[] results = out.toDoubles();
            for (int i = 0; i < N; i++) {
                double expected = op.of((double) a[i]);
                assertThat(results[i]).as("%s %d", op, i).isCloseTo(expected, within(1e-11));
            }
        }
    }

    @Test
    void integersHaveNoRoots() {
        DeviceBuffer x = device.of(1, -2);
        arrays.apply(Unary.ABS, x, x);
        assertThat(x.toInts()).containsExactly(1, 2);
        assertThatThrownBy(() -> arrays.apply(Unary.SQRT, x, x))
                .hasMessage(device.id() + ": SQRT: elements of INT; supported: [FLOAT, DOUBLE]");
    }

    @Test
    @Tag("full")
    void elementwiseOnIntegers() {
        int[] a = new SplittableRandom(3).ints(N, -1000, 1000).toArray();
        int[] b = new SplittableRandom(4).ints(N, 1, 1000).toArray();
        DeviceBuffer x = device.of(a), y = device.of(b), out = device.zeros(Datatype.INT, N);
        long[] la = Arrays.stream(a).mapToLong(i -> (long) i << 30).toArray();
        long[] lb = Arrays.stream(b).asLongStream().toArray();
        DeviceBuffer lx = device.of(la), ly = device.of(lb), lout = device.zeros(Datatype.LONG, N);
        for (Binary op : Binary.values()) {
            arrays.apply(op, x, y, out);
            arrays.apply(op, lx, ly, lout);
            int[] ints = out.toInts();
            long[] longs = lout.toLongs();
            for (int i = 0; i < N; i++) {
                assertThat(ints[i]).as("%s %d", op, i).isEqualTo((int) op.of((long) a[i], b[i]));
                assertThat(longs[i]).as("%s %d", op, i).isEqualTo(op.of(la[i], lb[i]));
            }
        }
    }

    @Test
    void axpyScaleAndRange() {
        DeviceBuffer x = device.of(1f, 2, 3), y = device.of(10f, 20, 30);
        arrays.axpy(2, x, y);
        assertThat(y.toFloats()).containsExactly(12, 24, 36);
        arrays.scale(-1, y);
        assertThat(y.toFloats()).containsExactly(-12, -24, -36);
        DeviceBuffer r = device.zeros(Datatype.INT, 4);
        arrays.range(5, 2, r);
        assertThat(r.toInts()).containsExactly(5, 7, 9, 11);
        DeviceBuffer f = device.zeros(Datatype.FLOAT, 1000);
        arrays.range(0, 0.5, f.slice(500, 500));
        assertThat(f.toFloats()[999]).isEqualTo(499 * 0.5f);
        assertThatThrownBy(() -> arrays.axpy(2, x, device.of(1f)))
                .hasMessage(device.id() + ": axpy: buffers of 3 FLOAT on " + device.id() + " and 1 FLOAT on "
                        + device.id() + " do not match");
    }

    @Test
    void sumMinAndMax() {
        for (int n : new int[] {1, 2, 255, 256, 257, 40_000}) {
            SplittableRandom random = new SplittableRandom(n);
            long[] longs = random.longs(n, -1_000_000, 1_000_000).toArray();
            float[] f = new float[n];
            for (int i = 0; i < n; i++) f[i] = longs[i] / 64f;
            long sum = Arrays.stream(longs).sum(),
                    min = Arrays.stream(longs).min().orElseThrow();
            long max = Arrays.stream(longs).max().orElseThrow();
            DeviceBuffer l = device.of(longs), x = device.of(f);
            assertThat(arrays.sum(l)).isEqualTo(sum);
            if (FULL) assertThat(arrays.min(l)).isEqualTo(min);
            if (FULL) assertThat(arrays.max(l)).isEqualTo(max);
            assertThat(arrays.sum(x)).isCloseTo(sum / 64.0, within(1e-6 * 16384 * n));
            assertThat(arrays.min(x)).isEqualTo(min / 64f);
            assertThat(arrays.max(x)).isEqualTo(max / 64f);
        }
        DeviceBuffer none = device.zeros(Datatype.INT, 0);
        assertThat(arrays.sum(none)).isZero();
        assertThatThrownBy(() -> arrays.min(none)).hasMessage(device.id() + ": min: the buffer has no elements");
    }

    @Test
    void transposeAndMatmul() {
        int rows = 19, columns = 33, inner = 21;
        int[] a = new SplittableRandom(5).ints((long) rows * inner, -9, 9).toArray();
        int[] b = new SplittableRandom(6).ints((long) inner * columns, -9, 9).toArray();
        int[] expected = new int[rows * columns];
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                for (int k = 0; k < inner; k++) expected[r * columns + c] += a[r * inner + k] * b[k * columns + c];
            }
        }
        DeviceBuffer c = device.zeros(Datatype.INT, (long) rows * columns),
                t = device.zeros(Datatype.INT, (long) rows * columns);
        arrays.matmul(rows, columns, inner, device.of(a), device.of(b), c);
        assertThat(c.toInts()).isEqualTo(expected);
        arrays.transpose(rows, columns, c, t);
        int[] transposed = t.toInts();
        for (int r = 0; r < rows; r++) {
            for (int k = 0; k < columns; k++)
                assertThat(transposed[k * rows + r]).isEqualTo(expected[r * columns + k]);
        }
        float[] floatsA = new float[a.length], floatsB = new float[b.length];
        for (int i = 0; i < a.length; i++) floatsA[i] = a[i] / 8f;
        for (int i = 0; i < b.length; i++) floatsB[i] = b[i] / 8f;
        DeviceBuffer fa = device.of(floatsA), fb = device.of(floatsB);
        DeviceBuffer fc = device.zeros(Datatype.FLOAT, (long) rows * columns);
        arrays.matmul(rows, columns, inner, fa, fb, fc);
        float[] product = fc.toFloats();
        for (int i = 0; i < product.length; i++) assertThat(product[i]).isEqualTo(expected[i] / 64f);
        assertThatThrownBy(() -> arrays.matmul(rows, columns, 1, fa, fb, fc))
                .hasMessage(device.id() + ": matmul: 19 × 1 does not match a buffer of 399 elements");
    }

    /// The fake does not run kernels, so a result proves that the library was used.
    @Test
    void matmulIsTheLibrarysWhereThereIsOne() {
        FakeGpu gpu = new FakeGpu(false);
        FakeMatrices matrices = new FakeMatrices(gpu, 0);
        try (Device cuda = new Device(FakeDevices.open(gpu, matrices), 1)) {
            DeviceBuffer a = cuda.of(1f, 2, 3, 4), b = cuda.of(5f, 6, 7, 8), c = cuda.zeros(Datatype.FLOAT, 4);
            cuda.arrays().matmul(2, 2, 2, a, b, c);
            assertThat(c.toFloats()).containsExactly(19, 22, 43, 50);
            DeviceStream stream = cuda.newStream();
            a.copyFrom(b, stream);
            cuda.arrays().matmul(2, 2, 2, a, b, c); // after the copy on the other stream
            assertThat(c.toFloats()).containsExactly(67, 78, 91, 106);
            DeviceBuffer d = cuda.of(2.0, 3), e = cuda.of(4.0, 5), f = cuda.zeros(Datatype.DOUBLE, 1);
            cuda.arrays().matmul(1, 1, 2, d, e, f);
            assertThat(f.toDoubles()).containsExactly(23);
            assertThat(cuda.arrays().products()).isEqualTo("libblas.so");
            assertThat(matrices.handles()).isOne();
        }
        assertThat(matrices.handles()).isZero();
        switch (device.attributes().kind()) {
            case "host" -> assertThat(arrays.products()).isEqualTo("Java");
            case "opencl" -> assertThat(arrays.products()).isEqualTo("a kernel; there is no library for opencl");
            default -> assertThat(arrays.products()).isNotEmpty();
        }
    }

    @Test
    void absoluteValueOfZeroIsPositive() {
        DeviceBuffer x = device.of(-0f, 0f, -3f, Float.NaN);
        arrays.apply(Unary.ABS, x, x);
        assertThat(x.toFloats()).usingComparator(Arrays::compare).isEqualTo(new float[] {0, 0, 3, Float.NaN});
    }

    @Test
    void minAndMaxOfNanAreNanWhereverItIs() {
        for (int at = 0; at < 3; at++) {
            float[] values = {1, 2, 3};
            values[at] = Float.NaN;
            DeviceBuffer x = device.of(values), y = device.of(2f, 2f, 2f), out = device.zeros(Datatype.FLOAT, 3);
            assertThat(arrays.min(x)).as("min, NaN at %d", at).isNaN();
            assertThat(arrays.max(x)).as("max, NaN at %d", at).isNaN();
            for (Binary op : List.of(Binary.MINIMUM, Binary.MAXIMUM)) {
                arrays.apply(op, x, y, out);
                assertThat(out.toFloats()[at]).as("%s(NaN, 2)", op).isNaN();
                arrays.apply(op, y, x, out);
                assertThat(out.toFloats()[at]).as("%s(2, NaN)", op).isNaN();
            }
        }
    }

    @Test
    void randomNumbersAreThoseOfPhilox() {
        // a known answer of Random123: counter and key all 0
        assertThat(HostArrays.philox(0, 0, 0)).isEqualTo(0x6627e8d5);
        assertThat(HostArrays.philox(0, 3, 0)).isEqualTo(0x9b00dbd8);
    }

    @Test
    void randomNumbersAreTheSameOnEveryDeviceAndForEveryPart() {
        try (Device host = Device.get("host")) {
            DeviceBuffer x = device.zeros(Datatype.FLOAT, N), dx = device.zeros(Datatype.DOUBLE, N);
            DeviceBuffer y = host.zeros(Datatype.FLOAT, N), dy = host.zeros(Datatype.DOUBLE, N);
            arrays.uniform(x, 42, 7);
            arrays.uniform(dx, -42, 7);
            host.arrays().uniform(y.slice(0, 1000), 42, 7);
            host.arrays().uniform(y.slice(1000, N - 1000), 42, 1007);
            host.arrays().uniform(dy, -42, 7);
            assertThat(x.toFloats()).isEqualTo(y.toFloats());
            assertThat(dx.toDoubles()).isEqualTo(dy.toDoubles());
            arrays.normal(x, 42, 7);
            host.arrays().normal(y, 42, 7);
            float[] here = x.toFloats(), there = y.toFloats();
            double mean = 0, squares = 0;
            for (int i = 0; i < N; i++) {
                assertThat(here[i]).isCloseTo(there[i], within(1e-4f));
                mean += here[i] / N;
                squares += here[i] * here[i] / N;
            }
            assertThat(mean).isCloseTo(0, within(0.1));
            assertThat(squares).isCloseTo(1, within(0.15));
        }
    }
}
