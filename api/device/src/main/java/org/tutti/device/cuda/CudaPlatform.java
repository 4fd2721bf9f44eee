package org.tutti.device.cuda;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.GpuPlatform;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// CUDA: the driver API and NVRTC.
public final class CudaPlatform extends GpuPlatform {
    private static final int NO_DEVICE = 100, STUB_LIBRARY = 34;

    public CudaPlatform() {
        super("cuda");
    }

    @Override
    protected int order() {
        return 10;
    }

    @Override
    protected LibrarySearch driver() {
        return new LibrarySearch("tutti.device.lib.cuda", List.of("libcuda.so.1"));
    }

    @Override
    protected LibrarySearch compiler() {
        return new LibrarySearch(
                "tutti.device.lib.nvrtc",
                List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"),
                List.of("CUDA_HOME", "CUDA_PATH"),
                List.of("/usr/local/cuda*/lib64"),
                List.of("nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
    }

    @Override
    protected String compilerParts() {
        return "libnvrtc-builtins.so.";
    }

    @Override
    protected LibrarySearch matrices() {
        return new LibrarySearch(
                "tutti.device.lib.cublas",
                List.of("libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"),
                List.of("CUDA_HOME", "CUDA_PATH"),
                List.of("/usr/local/cuda*/lib64"),
                List.of("nvidia/cu13/lib/libcublas.so.13", "nvidia/cublas/lib/libcublas.so.12"));
    }

    @Override
    protected String compilerName() {
        return "NVRTC";
    }

    @Override
    protected String driverName(int version) {
        return "NVIDIA driver for CUDA " + version / 1000 + "." + version % 1000 / 10;
    }

    @Override
    protected long current(long context, int device) {
        return context;
    }

    @Override
    protected String architecture(int major, int minor, String pciId) {
        return "sm_" + major + minor;
    }

    /// Returns the target: native code for the device, which any driver for the device can load. If the
    /// compiler does not support the architecture of the device, the target is PTX for the newest older
    /// architecture that the compiler supports.
    @Override
    protected Target target(String architecture, List<Integer> known) {
        int wanted = Integer.parseInt(architecture.substring("sm_".length()));
        if (known.isEmpty() || known.contains(wanted)) {
            return new Target("--gpu-architecture=" + architecture, false);
        }
        int newest = known.stream()
                .filter(one -> one < wanted)
                .mapToInt(Integer::intValue)
                .max()
                .orElse(wanted);
        return new Target("--gpu-architecture=compute_" + newest, true);
    }

    @Override
    protected String absent() {
        return "no NVIDIA driver on this host; in a container, start it with NVIDIA's runtime (--gpus all)";
    }

    @Override
    protected @Nullable String advice(int code, String driver) {
        return switch (code) {
            case STUB_LIBRARY ->
                "a stub for linking (…/stubs/libcuda.so) was loaded instead of the driver; remove the stub's"
                        + " directory from LD_LIBRARY_PATH";
            case NO_DEVICE ->
                "the " + driver + " is installed, but no GPU is visible; check nvidia-smi, CUDA_VISIBLE_DEVICES (="
                        + VendorSetting.of("CUDA_VISIBLE_DEVICES") + ") and, in a container, the option --gpus";
            case 46 -> "another process uses it exclusively; check the compute mode in nvidia-smi";
            case 222 ->
                "the " + driver + " is older than the NVRTC that compiled this; install a newer driver, or set"
                        + " -Dtutti.device.lib.nvrtc to an NVRTC of the driver's version";
            case 802 -> "the fabric manager or the driver is still starting; check nvidia-fabricmanager";
            case 803 -> "the driver library and the kernel module have different versions; restart the machine";
            default -> null;
        };
    }
}
