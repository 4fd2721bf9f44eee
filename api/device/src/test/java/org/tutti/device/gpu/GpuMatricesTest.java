package org.tutti.device.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.device.cuda.CudaPlatform;
import org.tutti.device.hip.HipPlatform;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.MatrixLibrary;

/// Matrix products by the vendors' libraries, tested with fakes.
@ParameterizedClass
@ValueSource(booleans = {true, false})
class GpuMatricesTest {
    private static final long DEFAULT = DeviceDriver.DEFAULT_STREAM;

    private final boolean isCuda;
    private final GpuPlatform platform;
    private final FakeGpu gpu;
    private final FakeMatrices matrices;
    private final FakeLibrary driver, library;
    private boolean isThere = true;

    GpuMatricesTest(boolean isCuda, @TempDir Path root) throws IOException {
        this.isCuda = isCuda;
        Files.createFile(Files.createDirectory(root.resolve("dev")).resolve("kfd"));
        platform = isCuda ? new CudaPlatform() : new HipPlatform(root);
        gpu = new FakeGpu(!isCuda);
        matrices = new FakeMatrices(gpu, isCuda ? 0 : 111);
        driver = new FakeLibrary(isCuda ? Prototypes.CUDA : Prototypes.HIP, gpu);
        library = new FakeLibrary(isCuda ? Prototypes.CUBLAS : Prototypes.HIPBLAS, matrices);
    }

    private GpuDriver open() {
        return (GpuDriver) new GpuBackend(platform, this::load) {}.open(0);
    }

    private DynamicLibrary load(LibrarySearch search) {
        if (search.equals(platform.driver())) {
            return new DynamicLibrary(driver, "libfake.so", List.of(new Attempt("libfake.so", null)));
        }
        assertThat(search).isEqualTo(platform.matrices());
        return isThere
                ? new DynamicLibrary(library, "libblas.so", List.of(new Attempt("libblas.so", null)))
                : new DynamicLibrary(null, null, List.of(new Attempt("libblas.so", "no such file")));
    }

    private String name(MatrixFunction function) {
        return String.valueOf(MatrixFunction.ROWS.name(function, platform.kind()));
    }

    private static long put(DeviceDriver to, Arena arena, double[] values, boolean isDouble) {
        MemorySegment bytes = isDouble
                ? arena.allocateFrom(ValueLayout.JAVA_DOUBLE, values)
                : arena.allocate(ValueLayout.JAVA_FLOAT, values.length);
        if (!isDouble) {
            for (int i = 0; i < values.length; i++) bytes.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
        }
        long address = to.allocate(bytes.byteSize());
        to.copyIn(DEFAULT, address, bytes);
        to.synchronize(DEFAULT);
        return address;
    }

    @Test
    void tableHasEveryNameAndWidthOfTheHeader() {
        String prototypes = isCuda ? Prototypes.CUBLAS : Prototypes.HIPBLAS;
        Prototypes.assertSame(prototypes, MatrixFunction.class, MatrixFunction.ROWS, platform.kind(), "");
    }

    /// 2 × 3 by 3 × 4, with small integers.
    @Test
    void multipliesByRows() {
        double[] a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 2, 1, 0, 1, 1, 3, 2, 2, 0, 1};
        double[] expected = {7, 8, 4, 10, 16, 17, 13, 25};
        for (boolean isDouble : new boolean[] {true, false}) {
            try (GpuDriver device = open();
                    Arena arena = Arena.ofShared()) {
                long x = put(device, arena, a, isDouble), y = put(device, arena, b, isDouble);
                long c = put(device, arena, new double[] {9, 9, 9, 9, 9, 9, 9, 9}, isDouble);
                long stream = device.createStream();
                device.multiply(stream, isDouble, 2, 4, 3, x, y, c);
                device.synchronize(stream);
                MemorySegment out = arena.allocate(ValueLayout.JAVA_DOUBLE, 8);
                device.copyOut(DEFAULT, out.asSlice(0, isDouble ? 64 : 32), c);
                device.synchronize(DEFAULT);
                for (int i = 0; i < expected.length; i++) {
                    double value = isDouble
                            ? out.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                            : out.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                    assertThat(value).isEqualTo(expected[i]);
                }
            }
        }
        assertThat(gpu.leaks()).isEmpty();
    }

    @Test
    void hasOneHandleForADeviceAndSetsItsStreamWhenThatChanges() {
        try (GpuDriver device = open();
                Arena arena = Arena.ofShared()) {
            assertThat(library.calls()).isEmpty();
            long one = put(device, arena, new double[] {1}, false), stream = device.createStream();
            device.multiply(DEFAULT, false, 1, 1, 1, one, one, one);
            device.multiply(stream, false, 1, 1, 1, one, one, one);
            device.multiply(stream, false, 1, 1, 1, one, one, one);
            device.multiply(DEFAULT, false, 1, 1, 1, one, one, one);
            assertThat(matrices.handles()).isOne();
        }
        String multiply = name(MatrixFunction.MULTIPLY_FLOATS), set = name(MatrixFunction.SET_STREAM);
        assertThat(library.calls())
                .containsExactly(
                        name(MatrixFunction.CREATE),
                        multiply,
                        set,
                        multiply,
                        multiply,
                        set,
                        multiply,
                        name(MatrixFunction.DESTROY));
        assertThat(matrices.handles()).isZero();
    }

    @Test
    void missingOldOrFailingLibraryIsReportedAndNotUsed() {
        isThere = false;
        assertText("no library for matrices: libblas.so: no such file");
        isThere = true;
        library.fail("CREATE", isCuda ? 3 : 2);
        assertText("libblas.so: " + name(MatrixFunction.CREATE) + ": "
                + (isCuda ? "CUBLAS_STATUS_ALLOC_FAILED (3)" : "HIPBLAS_STATUS_ALLOC_FAILED (2)"));
        library.without(name(MatrixFunction.MULTIPLY_DOUBLES));
        assertText("libblas.so lacks " + name(MatrixFunction.MULTIPLY_DOUBLES) + "; install a newer version");
    }

    private void assertText(String text) {
        try (GpuDriver device = open()) {
            MatrixLibrary products = device;
            assertThat(products.hasProducts()).isFalse();
            assertThat(products.products()).isEqualTo(text);
            assertThatThrownBy(() -> products.multiply(DEFAULT, true, 1, 1, 1, 1, 1, 1))
                    .hasMessage(text);
        }
        assertThat(matrices.handles()).isZero();
    }

    @Test
    void errorsHaveTheCallItsValuesAndTheirName() {
        int code = isCuda ? 13 : 5;
        String error = isCuda ? "CUBLAS_STATUS_EXECUTION_FAILED (13)" : "HIPBLAS_STATUS_EXECUTION_FAILED (5)";
        try (GpuDriver device = open()) {
            library.fail("MULTIPLY_DOUBLES", code);
            assertThatThrownBy(() -> device.multiply(DEFAULT, true, 2, 3, 4, 1, 1, 1))
                    .isInstanceOf(DeviceFault.class)
                    .hasMessage(name(MatrixFunction.MULTIPLY_DOUBLES) + "(rows=2, columns=3, inner=4): " + error);
            library.fail("SET_STREAM", code);
            long stream = device.createStream();
            assertThatThrownBy(() -> device.multiply(stream, true, 2, 3, 4, 1, 1, 1))
                    .hasMessage(name(MatrixFunction.SET_STREAM) + "(): " + error);
            library.fail("SET_STREAM", 99);
            assertThatThrownBy(() -> device.multiply(stream, true, 2, 3, 4, 1, 1, 1))
                    .hasMessageEndingWith("error 99");
        }
        GpuDriver failing = open();
        assertThat(failing.hasProducts()).isTrue();
        library.fail("DESTROY", 1);
        assertThatThrownBy(failing::close).hasMessageContaining("STATUS_NOT_INITIALIZED (1)");
        assertThat(gpu.leaks()).isEmpty();
        GpuDriver lost = open();
        assertThat(lost.hasProducts()).isTrue();
        library.fail("DESTROY", code);
        driver.fail("CONTEXT_RELEASE", 700); // the device is lost, so a failure of the handle is not reported
        lost.close();
    }
}
