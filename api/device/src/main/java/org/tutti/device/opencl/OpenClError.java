package org.tutti.device.opencl;

import org.tutti.device.spi.DeviceFault;
import org.tutti.device.table.ErrorTable;

/// The names of the error codes in `CL/cl.h`.
final class OpenClError {
    static final int SUCCESS = 0, BUILD_PROGRAM_FAILURE = -11, PLATFORM_NOT_FOUND = -1001;

    private static final ErrorTable CODES = ErrorTable.read(OpenClError.class, "errors.tsv");

    private OpenClError() {}

    static String name(int code) {
        String name = CODES.name(code, OpenClFunction.NAME);
        return (name == null ? "error" : name) + " (" + code + ")";
    }

    /// Throws if `code` is an error. The error message contains `call`, which is the text of the call with its
    /// arguments.
    static void check(int code, String call) {
        if (code != SUCCESS) throw fault(code, call);
    }

    static DeviceFault fault(int code, String call) {
        return new DeviceFault(CODES.reason(code), call + ": " + name(code));
    }
}
