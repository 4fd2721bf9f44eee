package org.tutti.device.opencl;

import java.util.Map;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;

/// The codes of `CL/cl.h` that calls return, by name.
final class OpenClError {
    static final int SUCCESS = 0, BUILD_PROGRAM_FAILURE = -11, INVALID_KERNEL_NAME = -46, PLATFORM_NOT_FOUND = -1001;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(-1, "CL_DEVICE_NOT_FOUND"),
            Map.entry(-2, "CL_DEVICE_NOT_AVAILABLE"),
            Map.entry(-3, "CL_COMPILER_NOT_AVAILABLE"),
            Map.entry(-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
            Map.entry(-5, "CL_OUT_OF_RESOURCES"),
            Map.entry(-6, "CL_OUT_OF_HOST_MEMORY"),
            Map.entry(BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"),
            Map.entry(-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"),
            Map.entry(-30, "CL_INVALID_VALUE"),
            Map.entry(-33, "CL_INVALID_DEVICE"),
            Map.entry(-34, "CL_INVALID_CONTEXT"),
            Map.entry(-36, "CL_INVALID_COMMAND_QUEUE"),
            Map.entry(-42, "CL_INVALID_BINARY"),
            Map.entry(-43, "CL_INVALID_BUILD_OPTIONS"),
            Map.entry(-44, "CL_INVALID_PROGRAM"),
            Map.entry(-45, "CL_INVALID_PROGRAM_EXECUTABLE"),
            Map.entry(INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"),
            Map.entry(-48, "CL_INVALID_KERNEL"),
            Map.entry(-49, "CL_INVALID_ARG_INDEX"),
            Map.entry(-50, "CL_INVALID_ARG_VALUE"),
            Map.entry(-51, "CL_INVALID_ARG_SIZE"),
            Map.entry(-52, "CL_INVALID_KERNEL_ARGS"),
            Map.entry(-54, "CL_INVALID_WORK_GROUP_SIZE"),
            Map.entry(-55, "CL_INVALID_WORK_ITEM_SIZE"),
            Map.entry(-57, "CL_INVALID_EVENT_WAIT_LIST"),
            Map.entry(-58, "CL_INVALID_EVENT"),
            Map.entry(-59, "CL_INVALID_OPERATION"),
            Map.entry(-63, "CL_INVALID_GLOBAL_WORK_SIZE"),
            Map.entry(PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"));

    private OpenClError() {}

    static String name(int code) {
        return NAMES.getOrDefault(code, "error") + " (" + code + ")";
    }

    /// @param call with its values, for the error
    static void check(int code, String call) {
        if (code != SUCCESS) throw fault(code, call);
    }

    static DeviceFault fault(int code, String call) {
        Reason reason = switch (code) {
            case -4, -6 -> Reason.NO_MEMORY;
            case -2 -> Reason.LOST;
            case INVALID_KERNEL_NAME -> Reason.NO_FUNCTION;
            default -> Reason.FAILED;
        };
        return new DeviceFault(reason, call + ": " + name(code));
    }
}
