package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;

/// A driver's functions, and what becomes of the codes they return. CUDA and HIP have the same numbers.
final class GpuCalls {
    static final int OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, OUT_OF_RESOURCES = 701, NOT_SUPPORTED = 801;

    private static final int DEINITIALIZED = 4;
    private static final int UNCORRECTABLE = 214, LINK_UNCORRECTABLE = 220;
    private static final int ILLEGAL_ADDRESS = 700, TIMEOUT = 702, CONTEXT_DESTROYED = 709, ASSERT = 710;
    private static final int FIRST_OF_KERNELS = 714, MISALIGNED = 716, LAST_OF_KERNELS = 719;

    final FunctionTable<DriverFunction> table;
    final GpuPlatform platform;

    /// The driver with its version.
    final String driver;

    GpuCalls(GpuPlatform platform, String library, SymbolLookup symbols) {
        this.platform = platform;
        table = new FunctionTable<>(library, DriverFunction.values(), platform::name, symbols);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT);
            int code = table.call(DriverFunction.DRIVER_VERSION, version.address());
            driver = code == 0 ? platform.driverName(version.get(JAVA_INT, 0)) : library;
        }
    }

    /// What a code of a call means, as an exception.
    ///
    /// @param arguments of the call, as text
    DeviceFault fault(DriverFunction function, int code, String arguments) {
        return new DeviceFault(reason(function, code), call(function, arguments) + ": " + words(code));
    }

    /// `cuMemAlloc_v2(bytes=4096)`.
    String call(DriverFunction function, String arguments) {
        return table.name(function) + "(" + arguments + ")";
    }

    /// The name of a code, and what to do about it.
    String words(int code) {
        String advice = platform.advice(code, driver);
        if (advice == null) advice = advice(code);
        return platform.driverError(code) + (advice == null ? "" : "; " + advice);
    }

    private static Reason reason(DriverFunction function, int code) {
        if (isLost(code)) return Reason.LOST;
        return switch (code) {
            case OUT_OF_MEMORY -> Reason.NO_MEMORY;
            case NOT_FOUND -> function == DriverFunction.MODULE_FUNCTION ? Reason.NO_FUNCTION : Reason.FAILED;
            case NOT_SUPPORTED -> Reason.UNSUPPORTED;
            default -> Reason.FAILED;
        };
    }

    /// After these the process can do nothing more with the device.
    private static boolean isLost(int code) {
        return switch (code) {
            case DEINITIALIZED,
                    UNCORRECTABLE,
                    LINK_UNCORRECTABLE,
                    ILLEGAL_ADDRESS,
                    TIMEOUT,
                    CONTEXT_DESTROYED,
                    ASSERT -> true;
            default -> code >= FIRST_OF_KERNELS && code <= LAST_OF_KERNELS;
        };
    }

    private static @Nullable String advice(int code) {
        return switch (code) {
            case UNCORRECTABLE, LINK_UNCORRECTABLE -> "the hardware failed; the system's log has more";
            case ILLEGAL_ADDRESS ->
                "a kernel that ran before used an address outside of its buffers; check its indices and the number of"
                        + " its threads";
            case TIMEOUT -> "a kernel ran longer than a device with a display lets it";
            case ASSERT -> "an assert of a kernel failed";
            case MISALIGNED -> "a kernel used an address that is no multiple of its type's size";
            case LAST_OF_KERNELS -> "a kernel that ran before failed";
            default -> null;
        };
    }
}
