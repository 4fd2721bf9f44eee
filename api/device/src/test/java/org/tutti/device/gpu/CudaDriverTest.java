package org.tutti.device.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.TestDevice;
import org.tutti.device.cuda.CudaPlatform;
import org.tutti.device.source.KernelSource;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;

class CudaDriverTest extends GpuDriverContract {
    private static final Map<Integer, String> ERRORS = Map.ofEntries(
            Map.entry(1, "CUDA_ERROR_INVALID_VALUE"),
            Map.entry(2, "CUDA_ERROR_OUT_OF_MEMORY"),
            Map.entry(3, "CUDA_ERROR_NOT_INITIALIZED"),
            Map.entry(34, "CUDA_ERROR_STUB_LIBRARY"),
            Map.entry(100, "CUDA_ERROR_NO_DEVICE"),
            Map.entry(101, "CUDA_ERROR_INVALID_DEVICE"),
            Map.entry(200, "CUDA_ERROR_INVALID_IMAGE"),
            Map.entry(209, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
            Map.entry(222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
            Map.entry(400, "CUDA_ERROR_INVALID_HANDLE"),
            Map.entry(500, "CUDA_ERROR_NOT_FOUND"),
            Map.entry(600, "CUDA_ERROR_NOT_READY"),
            Map.entry(700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
            Map.entry(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
            Map.entry(719, "CUDA_ERROR_LAUNCH_FAILED"),
            Map.entry(801, "CUDA_ERROR_NOT_SUPPORTED"),
            Map.entry(999, "CUDA_ERROR_UNKNOWN"));

    private static final GpuPlatform PLATFORM = new CudaPlatform();

    @Override
    GpuPlatform platform() {
        return PLATFORM;
    }

    @Override
    boolean currentByDevice() {
        return false;
    }

    @Override
    String prototypes() {
        return Prototypes.CUDA;
    }

    @Override
    String compilerPrototypes() {
        return Prototypes.NVRTC;
    }

    @Override
    String error(int code) {
        return ERRORS.get(code) + " (" + code + ")";
    }

    @Test
    void reportsADriverWithoutVisibleDevice() {
        library.fail("INIT", 100);
        String visible = System.getenv().getOrDefault("CUDA_VISIBLE_DEVICES", "");
        assertThat(backend().discover().attempts().getLast().failure())
                .isEqualTo("CUDA_ERROR_NO_DEVICE (100); the NVIDIA driver for CUDA 12.2 is installed, but no GPU"
                        + " is visible; check nvidia-smi, CUDA_VISIBLE_DEVICES (=" + visible
                        + ") and, in a container, the option --gpus");
    }

    @Test
    void reportsAStubInsteadOfADriver() {
        library.fail("INIT", 34);
        assertThat(backend().discover().attempts().getLast().failure())
                .isEqualTo("CUDA_ERROR_STUB_LIBRARY (34); a stub for linking (…/stubs/libcuda.so) was loaded"
                        + " instead of the driver; remove the stub's directory from LD_LIBRARY_PATH");
    }

    @Test
    void compilesForTheDeviceOrPortablyForTheNewestThatIsKnown() {
        assertThat(PLATFORM.target("sm_90", List.of(75, 80, 90)))
                .isEqualTo(new GpuPlatform.Target("--gpu-architecture=sm_90", false));
        assertThat(PLATFORM.target("sm_86", List.of(75, 80, 90)))
                .isEqualTo(new GpuPlatform.Target("--gpu-architecture=compute_80", true));
        assertThat(PLATFORM.target("sm_120", List.of(75, 80, 90)))
                .isEqualTo(new GpuPlatform.Target("--gpu-architecture=compute_90", true));
    }

    @Test
    void loadsPortableCodeForAnUnknownArchitecture() {
        gpuIs(12, 0);
        try (DeviceDriver driver = backend().open(0)) {
            assertThat(driver.attributes().architecture()).isEqualTo("sm_120");
            assertThat(driver.compiler()).isEqualTo("NVRTC 12.4 for sm_120 (Fake GPU)");
            byte[] binary = driver.compile(new KernelSource("x", List.of()), List.of());
            assertThat(new String(binary, StandardCharsets.UTF_8)).isEqualTo("FAKEPTX\0");
        }
    }

    /// Drivers allow 65535 blocks in the second dimension.
    @Test
    void longMatricesFitTheGrid() {
        int rows = 2_000_000;
        try (Device device = TestDevice.of(backend().open(0))) {
            long bytes = (long) rows * Float.BYTES;
            DeviceBuffer x = device.wrap(0x10000000, bytes, Datatype.FLOAT);
            DeviceBuffer y = device.wrap(0x20000000, bytes, Datatype.FLOAT);
            DeviceBuffer one = device.wrap(0x30000000, Float.BYTES, Datatype.FLOAT);
            device.arrays().transpose(rows, 1, x, y);
            device.arrays().matmul(rows, 1, 1, x, one, y);
            device.synchronize();
        }
        assertThat(gpu.launches)
                .hasSize(2)
                .allSatisfy(launch -> assertThat(launch.shape()).containsExactly(rows / 16, 1, 1, 16, 16, 1, 0));
    }
}
