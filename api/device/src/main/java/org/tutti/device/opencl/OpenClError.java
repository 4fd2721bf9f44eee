package org.tutti.device.opencl;

import org.tutti.device.spi.DeviceFault;
import org.tutti.device.table.ErrorTable;

/// The codes of `CL/cl.h` that calls return, by name.
final class OpenClError {
    static final int SUCCESS = 0, BUILD_PROGRAM_FAILURE = -11, PLATFORM_NOT_FOUND = -1001;

    private static final ErrorTable CODES = ErrorTable.read(OpenClError.class, "errors.tsv");

    private OpenClError() {}

    static String name(int code) {
        String name = CODES.name(code, OpenClFunction.NAME);
        return (name == null ? "error" : name) + " (" + code + ")";
    }

    /// @param call with its values, for the error
    static void check(int code, String call) {
        if (code != SUCCESS) throw fault(code, call);
    }

    static DeviceFault fault(int code, String call) {
        return new DeviceFault(CODES.reason(code), call + ": " + name(code));
    }
}
