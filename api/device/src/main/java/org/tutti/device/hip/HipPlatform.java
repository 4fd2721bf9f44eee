package org.tutti.device.hip;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.GpuPlatform;
import org.tutti.device.library.Attempt;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// HIP of ROCm 5.2 and later, and HIPRTC.
///
/// `hipDeviceProp_t` is not used: ROCm 6 changed the layout, but the attribute numbers are the same.
public final class HipPlatform extends GpuPlatform {
    private static final int NO_DEVICE = 100, INVALID_DEVICE = 101;

    /// The kernel driver's device files: the native file, and that of Windows Subsystem for Linux.
    private static final List<String> KERNEL_DEVICES = List.of("dev/kfd", "dev/dxg");

    private final Path root;

    public HipPlatform() {
        this(Path.of("/"));
    }

    /// @param root the root of the file system with the device files
    public HipPlatform(Path root) {
        super("hip");
        this.root = root;
    }

    /// Checks for a device before the library is loaded, because Debian's library loads an LLVM, which
    /// terminates the process if a second library, such as PoCL, also loads an LLVM.
    @Override
    protected @Nullable Attempt withoutLibrary() {
        for (String device : KERNEL_DEVICES) if (Files.exists(root.resolve(device))) return null;
        return new Attempt(
                "/dev/kfd",
                "missing, so there is no AMD GPU; load the kernel driver (amdgpu), and start a container with --device"
                        + " /dev/kfd --device /dev/dri");
    }

    @Override
    protected int order() {
        return 20;
    }

    @Override
    protected LibrarySearch driver() {
        return rocm("tutti.device.lib.hip", List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"));
    }

    /// Returns the search parameters of the compiler. Up to ROCm 5, the compiler is part of the driver library.
    @Override
    protected LibrarySearch compiler() {
        return rocm(
                "tutti.device.lib.hiprtc",
                List.of("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so", "libamdhip64.so.5"));
    }

    private static LibrarySearch rocm(String property, List<String> names) {
        return new LibrarySearch(property, names, List.of("ROCM_PATH"), List.of("/opt/rocm*/lib"), List.of());
    }

    @Override
    protected @Nullable String compilerParts() {
        return null;
    }

    @Override
    protected LibrarySearch matrices() {
        return rocm(
                "tutti.device.lib.hipblas",
                List.of("libhipblas.so.3", "libhipblas.so.2", "libhipblas.so.1", "libhipblas.so.0", "libhipblas.so"));
    }

    @Override
    protected String compilerName() {
        return "HIPRTC";
    }

    @Override
    protected String driverName(int version) {
        return "HIP " + version / 10_000_000 + "." + version / 100_000 % 100 + " of ROCm";
    }

    @Override
    protected long current(long context, int device) {
        return device;
    }

    @Override
    protected String architecture(int major, int minor, String pciId) {
        String known = new KfdTopology(root.resolve("sys/class/kfd/kfd/topology/nodes")).architecture(pciId);
        return known == null ? "gfx" + major + "." + minor : known;
    }

    /// Returns a target without an architecture option: the compiler then uses the architecture of the current
    /// device, including features (`gfx90a:xnack-`) that only the compiler can determine.
    @Override
    protected Target target(String architecture, List<Integer> known) {
        return new Target(null, false);
    }

    @Override
    protected String absent() {
        return "no ROCm on this host; install it, or set the path with -Dtutti.device.lib.hip=/path/to/libamdhip64.so";
    }

    @Override
    protected @Nullable String advice(int code, String driver) {
        return switch (code) {
            case NO_DEVICE, INVALID_DEVICE ->
                driver + " is installed, but no GPU is visible; check rocminfo, ROCR_VISIBLE_DEVICES (="
                        + VendorSetting.of("ROCR_VISIBLE_DEVICES") + "), HIP_VISIBLE_DEVICES (="
                        + VendorSetting.of("HIP_VISIBLE_DEVICES") + ") and, in a container, the options --device"
                        + " /dev/kfd --device /dev/dri";
            default -> null;
        };
    }
}
