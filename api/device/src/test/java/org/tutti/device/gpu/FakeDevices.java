package org.tutti.device.gpu;

import java.util.Arrays;
import java.util.List;
import org.tutti.device.cuda.CudaPlatform;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.DynamicLibrary;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.DeviceDriver;

/// Devices based on fakes, for tests of code that uses devices.
public final class FakeDevices {
    private FakeDevices() {}

    /// Opens a device of the kind `cuda` with a UUID that ends with `number`.
    public static DeviceDriver open(FakeGpu gpu, int number) {
        gpu.uuid[gpu.uuid.length - 1] = (byte) (number);
        return cuda(driver(gpu)).open(0);
    }

    /// Returns the driver library, for devices of the kind `cuda`.
    public static FakeLibrary driver(FakeGpu gpu) {
        return new FakeLibrary(Prototypes.CUDA, gpu);
    }

    /// Returns a backend with this driver and a compiler.
    public static DeviceBackend cuda(FakeLibrary driver) {
        FakeLibrary compiler = new FakeLibrary(Prototypes.NVRTC, new FakeCompiler());
        return new GpuBackend(new CudaPlatform(), search -> {
            boolean isDriver = search.property().equals("tutti.device.lib.cuda");
            String name = isDriver ? "libfake.so" : "libfakenvrtc.so";
            return new DynamicLibrary(isDriver ? driver : compiler, name, List.of(new Attempt(name, null)));
        }) {};
    }

    /// Returns a backend on a machine without the driver.
    public static DeviceBackend withoutDriver() {
        return new GpuBackend(
                new CudaPlatform(),
                search -> new DynamicLibrary(null, null, List.of(new Attempt("libcuda.so.1", "not found")))) {};
    }

    /// Opens a device of the kind `cuda` with a matrix library.
    public static DeviceDriver open(FakeGpu gpu, FakeMatrices matrices) {
        GpuPlatform platform = new CudaPlatform();
        return new GpuBackend(platform, search -> {
            boolean forMatrices = search.equals(platform.matrices());
            FakeLibrary library =
                    forMatrices ? new FakeLibrary(Prototypes.CUBLAS, matrices) : new FakeLibrary(Prototypes.CUDA, gpu);
            return new DynamicLibrary(library, forMatrices ? "libblas.so" : "libfake.so", List.of());
        }) {}.open(0);
    }

    /// Opens devices of the kind `cuda` of a fake library, by number.
    ///
    /// @param library the library of `gpu`
    public static List<DeviceDriver> open(FakeGpu gpu, FakeLibrary library, int... numbers) {
        gpu.devices = Arrays.stream(numbers).max().orElse(0) + 1;
        DynamicLibrary loaded = new DynamicLibrary(library, "libfake.so", List.of());
        GpuBackend backend = new GpuBackend(new CudaPlatform(), search -> loaded) {};
        return Arrays.stream(numbers).mapToObj(backend::open).toList();
    }

    /// Returns the enabled accesses, for example `0 reaches 1`.
    public static List<String> peers(FakeGpu gpu) {
        return List.copyOf(gpu.peers);
    }

    /// Disables access between devices.
    public static void disconnect(FakeGpu gpu) {
        gpu.areConnected = false;
    }

    /// Lets every call return `code`; 0 restores the device.
    public static void lose(FakeGpu gpu, int code) {
        gpu.lost = code;
    }
}
