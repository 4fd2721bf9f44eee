package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.FunctionTable;

/// A driver's functions, and what becomes of the codes they return. CUDA and HIP have the same numbers.
final class GpuCalls {
    static final int OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, OUT_OF_RESOURCES = 701;

    final FunctionTable<DriverFunction> table;
    final GpuPlatform platform;

    /// The driver with its version.
    final String driver;

    GpuCalls(GpuPlatform platform, String library, SymbolLookup symbols) {
        this.platform = platform;
        table = new FunctionTable<>(library, DriverFunction.ROWS, platform.kind(), symbols);
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
        if (advice == null) advice = GpuPlatform.advice(code);
        return platform.driverError(code) + (advice == null ? "" : "; " + advice);
    }

    private static Reason reason(DriverFunction function, int code) {
        return code == NOT_FOUND && function == DriverFunction.MODULE_FUNCTION
                ? Reason.NO_FUNCTION
                : GpuPlatform.reason(code);
    }
}
