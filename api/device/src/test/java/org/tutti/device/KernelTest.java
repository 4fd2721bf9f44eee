package org.tutti.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.device.source.KernelSource;
import org.tutti.mpi.Datatype;

@ParameterizedClass
@MethodSource("org.tutti.device.TestDevice#kinds")
class KernelTest {
    private static final String SAXPY = """
            extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] += a * x[i];
            }
            """;

    private static final HostKernel SAXPY_IN_JAVA = (thread, a) -> {
        int i = thread.x();
        if (i < a.intValue(0)) a.set(3, i, a.getFloat(3, i) + a.floatValue(1) * a.getFloat(2, i));
    };

    private final Device device;
    private final String id;

    KernelTest(String kind) {
        device = TestDevice.open(kind);
        id = device.id();
    }

    @AfterEach
    void close() {
        device.close();
    }

    private void needsCompiler() {
        assumeFalse(id.startsWith("host"), "the host has no compiler");
    }

    @Test
    void everyThreadRunsOnce() {
        int n = 1000;
        float[] x = new float[n], expected = new float[n];
        for (int i = 0; i < n; i++) {
            x[i] = i;
            expected[i] = 1 + 2f * i;
        }
        DeviceBuffer y = device.zeros(Datatype.FLOAT, n);
        y.fill(1);
        Kernel saxpy = device.kernel("saxpy", SAXPY, SAXPY_IN_JAVA);
        saxpy.launch(Dim.blocks(n, 64), Dim.of(64), n, 2f, device.of(x), y);
        assertThat(y.toFloats()).isEqualTo(expected);
        assertThat(saxpy).hasToString("saxpy(int n, float a, const float* x, float* y)");
    }

    @Test
    void aSliceIsAnArgumentLikeAnyOther() {
        DeviceBuffer x = device.of(1f, 2, 3, 4), y = device.of(0f, 0, 0, 0);
        device.kernel("saxpy", SAXPY, SAXPY_IN_JAVA).launch(Dim.of(1), Dim.of(2), 2, 10f, x.slice(2, 2), y.slice(1, 2));
        assertThat(y.toFloats()).containsExactly(0, 30, 40, 0);
    }

    @Test
    void allKindsOfArgumentsArrive() {
        String source = """
                extern "C" __global__ void all(int i, unsigned int u, long long l, float f, double d, double* out) {
                    out[0] = i; out[1] = u; out[2] = l; out[3] = f; out[4] = d;
                }
                """;
        DeviceBuffer out = device.zeros(Datatype.DOUBLE, 5);
        device.kernel("all", source, (thread, a) -> {
                    a.set(5, 0, (double) a.intValue(0));
                    a.set(5, 1, (double) Integer.toUnsignedLong(a.intValue(1)));
                    a.set(5, 2, (double) a.longValue(2));
                    a.set(5, 3, (double) a.floatValue(3));
                    a.set(5, 4, a.doubleValue(4));
                })
                .launch(Dim.of(1), Dim.of(1), -3, -1, 1L << 40, 0.5f, 1e100, out);
        assertThat(out.toDoubles()).containsExactly(-3, 4294967295.0, 1L << 40, 0.5, 1e100);
    }

    @Test
    void gridsAndBlocksHaveThreeDirections() {
        String source = """
                extern "C" __global__ void places(int* out) {
                    int x = blockIdx.x * blockDim.x + threadIdx.x;
                    int y = blockIdx.y * blockDim.y + threadIdx.y;
                    int z = blockIdx.z * blockDim.z + threadIdx.z;
                    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
                    out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
                }
                """;
        Dim grid = Dim.of(3, 2, 2), block = Dim.of(2, 3, 2);
        DeviceBuffer out = device.zeros(Datatype.INT, grid.total() * block.total());
        device.kernel("places", source, (t, a) -> {
                    int width = t.grid().x() * t.block().x(),
                            height = t.grid().y() * t.block().y();
                    a.set(0, (t.z() * height + t.y()) * width + t.x(), t.x() + 100 * t.y() + 10000 * t.z());
                })
                .launch(grid, block, out);
        int[] expected = IntStream.range(0, 6 * 6 * 4)
                .map(i -> i % 6 + 100 * (i / 6 % 6) + 10000 * (i / 36))
                .toArray();
        assertThat(out.toInts()).isEqualTo(expected);
    }

    @Test
    void argumentsAreCheckedAgainstTheParameters() {
        Kernel saxpy = device.kernel("saxpy", SAXPY, SAXPY_IN_JAVA);
        DeviceBuffer x = device.of(1f), y = device.of(1f), ints = device.of(1);
        Dim one = Dim.of(1);
        assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2f, x))
                .isInstanceOf(DeviceException.class)
                .hasMessage(id + ": kernel saxpy: 3 arguments for 4 parameters: saxpy(int n, float a, const"
                        + " float* x, float* y)");
        assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2.0, x, y))
                .hasMessage(id + ": kernel saxpy: argument 1 for float a is Double 2.0, must be a Float, such as 2f");
        assertThatThrownBy(() -> saxpy.launch(one, one, 1L, 2f, x, y))
                .hasMessage(id + ": kernel saxpy: argument 0 for int n is Long 1, must be an Integer");
        assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2f, x, ints))
                .hasMessage(id + ": kernel saxpy: argument 3 for float* y is a buffer of 1 INT on " + id
                        + ", must be a buffer of FLOAT");
        assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2f, null, y)).hasMessageContaining("const float* x is null");
        try (Device other = Device.get("host")) {
            assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2f, other.of(1f), y))
                    .hasMessageContaining("is a buffer of host:0, another device");
        }
        y.free();
        assertThatThrownBy(() -> saxpy.launch(one, one, 1, 2f, x, y))
                .hasMessage(id + ": this buffer of 1 FLOAT was freed");
    }

    @Test
    void aBlockHasNotMoreThreadsThanTheDeviceCan() {
        Kernel saxpy = device.kernel("saxpy", SAXPY, SAXPY_IN_JAVA);
        int most = device.attributes().threadsPerBlock();
        assertThatThrownBy(() -> saxpy.launch(Dim.of(1), Dim.of(most, 2), 0, 0f, device.of(1f), device.of(1f)))
                .hasMessage(id + ": kernel saxpy: block=(" + most + ", 2, 1) is " + 2L * most
                        + " threads, but a block has at most " + most);
        assertThatThrownBy(() -> Dim.of(0)).hasMessage("Dim(0, 1, 1): each must be at least 1");
    }

    @Test
    void invalidSourcesAreReportedWithTheLine() {
        assertThatThrownBy(() -> device.kernel("f", "void f() {}"))
                .isInstanceOf(KernelCompileException.class)
                .hasMessage(id + ": kernel f does not compile, line 1: void f() {}\nno kernel: declare one as"
                        + " extern \"C\""
                        + " __global__ void NAME(...)");
        assertThatThrownBy(() -> device.kernel("other", SAXPY, SAXPY_IN_JAVA))
                .hasMessage(id + ": the source has no kernel other, only saxpy");
        needsCompiler();
        assertThatThrownBy(() -> device.kernel("saxpy", SAXPY.replace("a * x[i]", "a * z[i]")))
                .isInstanceOfSatisfying(KernelCompileException.class, e -> {
                    assertThat(e.line()).isEqualTo(3);
                    assertThat(e.log()).containsAnyOf("undeclared identifier 'z'", "\"z\" is undefined");
                    assertThat(e)
                            .hasMessageStartingWith(
                                    id + ": kernel saxpy does not compile, line 3: if (i < n) y[i] += a * z[i];\n");
                });
        if (!id.startsWith("opencl")) return;
        assertThatThrownBy(() -> device.kernel("saxpy", "template <class T> T g(T x);\n" + SAXPY))
                .isInstanceOf(KernelCompileException.class)
                .hasMessage(id + ": kernel saxpy does not compile, line 1: template <class T> T g(T x);\n'template' is"
                        + " not in the subset of CUDA C that is translated for OpenCL");
    }

    @Test
    void optionsDefineMacros() {
        needsCompiler();
        String source = "extern \"C\" __global__ void f(int* out) { out[0] = VALUE; }";
        DeviceBuffer out = device.zeros(Datatype.INT, 1);
        device.kernel("f", source, "-D VALUE=7").launch(Dim.of(1), Dim.of(1), out);
        assertThat(out.toInts()).containsExactly(7);
        device.kernel("f", source, "-D VALUE=8").launch(Dim.of(1), Dim.of(1), out);
        assertThat(out.toInts()).containsExactly(8);
    }

    @Test
    void kernelWithoutJavaVersionNeedsACompiler() {
        if (device.isHostMemory()) {
            assertThatThrownBy(() -> device.kernel("saxpy", SAXPY))
                    .hasMessageStartingWith("host:0: kernel saxpy has no Java version, and the host has no compiler");
            DeviceBuffer out = device.zeros(Datatype.LONG, 1);
            device.kernel("seven", (thread, a) -> a.set(0, 0, 7L)).launch(Dim.of(1), Dim.of(1), out);
            assertThat(out.toLongs()).containsExactly(7);
        } else {
            assertThatThrownBy(() -> device.kernel("seven", (thread, a) -> a.set(0, 0, 7L)))
                    .hasMessage(id + ": kernel seven exists only in Java, for the host; pass a source in CUDA C, too");
        }
    }

    @Test
    void sharedMemoryAndAtomicOperationsWork() {
        needsCompiler();
        String source = """
                __device__ float square(float x) { return x * x; }

                extern "C" __global__ void sums(int n, const float* x, float* f, int* i, unsigned int* u,
                                                unsigned long long* l, double* d) {
                    __shared__ float part[64];
                    int at = blockIdx.x * blockDim.x + threadIdx.x;
                    part[threadIdx.x] = at < n ? square(x[at]) : 0.0f;
                    __syncthreads();
                    for (int step = 32; step > 0; step /= 2) {
                        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
                        __syncthreads();
                    }
                    if (threadIdx.x == 0) atomicAdd(f, part[0]);
                    atomicAdd(i, -1);
                    atomicMax(u, (unsigned int) at);
                    atomicAdd(l, 1ULL << 33);
                    atomicAdd(d, 0.25);
                }
                """;
        int n = 300;
        float[] x = new float[n];
        double expected = 0;
        for (int i = 0; i < n; i++) {
            x[i] = i % 7;
            expected += x[i] * x[i];
        }
        DeviceBuffer f = device.of(0f), i = device.of(0), u = device.of(0), l = device.of(0L), d = device.of(0.0);
        device.kernel("sums", source).launch(Dim.blocks(n, 64), Dim.of(64), n, device.of(x), f, i, u, l, d);
        assertThat(f.toFloats()[0]).isEqualTo((float) expected);
        assertThat(i.toInts()[0]).isEqualTo(-320);
        assertThat(u.toInts()[0]).isEqualTo(319);
        assertThat(l.toLongs()[0]).isEqualTo(320L << 33);
        assertThat(d.toDoubles()[0]).isEqualTo(80);
    }

    @Test
    void compiledSourcesAreKeptByAllThatDecides() {
        String key = CompiledKernels.key("s", List.of("-D A=1"), "c");
        assertThat(key).matches("[0-9a-f]{64}").isEqualTo(CompiledKernels.key("s", List.of("-D A=1"), "c"));
        assertThat(key).isNotEqualTo(CompiledKernels.key("s", List.of("-D A=2"), "c"));
        assertThat(key).isNotEqualTo(CompiledKernels.key("s", List.of("-D A=1"), "d"));
        assertThat(key).isNotEqualTo(CompiledKernels.key("t", List.of("-D A=1"), "c"));
    }

    @Test
    void aBrokenFileOfTheCacheIsCompiledAgain() {
        needsCompiler();
        String source = "extern \"C\" __global__ void g(int* out) { out[0] = 11; }";
        device.kernel("g", source);
        CompiledKernels kept =
                device.locked(d -> new CompiledKernels(d.translated(KernelSource.of(source)), List.of(), d.compiler()));
        assertThat(kept.read()).isNotEmpty();
        kept.write(new byte[] {1, 2, 3});
        try (Device again = Device.get(id)) {
            DeviceBuffer out = again.zeros(Datatype.INT, 1);
            again.kernel("g", source).launch(Dim.of(1), Dim.of(1), out);
            assertThat(out.toInts()).containsExactly(11);
        }
        assertThat(kept.read()).hasSizeGreaterThan(3);
    }
}
