package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.table.FunctionTable;

/// The functions of a driver, and the conversion of error codes. CUDA and HIP use the same codes.
final class GpuCalls {
    static final int OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, OUT_OF_RESOURCES = 701;

    final FunctionTable<DriverFunction> table;
    final GpuPlatform platform;

    /// The name and version of the driver.
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

    /// Returns the exception for an error code of a call.
    ///
    /// @param arguments the arguments of the call, as text
    DeviceFault fault(DriverFunction function, int code, String arguments) {
        return new DeviceFault(reason(function, code), call(function, arguments) + ": " + text(code));
    }

    /// Describes a call, for example `cuMemAlloc_v2(bytes=4096)`.
    String call(DriverFunction function, String arguments) {
        return table.name(function) + "(" + arguments + ")";
    }

    /// Returns the name of a code, and the advice.
    String text(int code) {
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
