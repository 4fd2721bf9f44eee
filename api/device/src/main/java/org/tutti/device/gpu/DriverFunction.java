package org.tutti.device.gpu;

import org.tutti.device.table.FunctionRows;

/// The functions of a driver that Tutti calls. The APIs of CUDA and HIP differ only in names and in a few
/// arguments, so each constant is a function of either API; `driver.tsv` contains the names.
enum DriverFunction {
    INIT,
    DRIVER_VERSION,

    DEVICE_COUNT,
    DEVICE,
    DEVICE_NAME,
    DEVICE_UUID,
    DEVICE_MEMORY,
    DEVICE_PCI_ID,
    DEVICE_ATTRIBUTE,

    CONTEXT_RETAIN,
    CONTEXT_RELEASE,
    /// The argument is a context or a device number, see [GpuPlatform#current].
    MAKE_CURRENT,

    MEMORY_INFO,
    ALLOCATE,
    FREE,
    ALLOCATE_MANAGED,
    ADDRESS_RANGE,

    HOST_ALLOCATE,
    HOST_FREE,

    COPY_TO_DEVICE_ASYNC,
    COPY_TO_HOST_ASYNC,
    COPY_ON_DEVICE_ASYNC,
    CAN_ACCESS_PEER,
    /// The first argument is a context or a device number, like the argument of [#MAKE_CURRENT].
    ENABLE_PEER,
    /// The second and the fourth argument are contexts or device numbers, as for [#MAKE_CURRENT].
    COPY_PEER_ASYNC,
    FILL_8_ASYNC,
    FILL_16_ASYNC,
    FILL_32_ASYNC,

    STREAM_CREATE,
    STREAM_DESTROY,
    STREAM_SYNCHRONIZE,
    STREAM_QUERY,
    STREAM_WAIT_EVENT,

    EVENT_CREATE,
    EVENT_DESTROY,
    EVENT_RECORD,
    EVENT_QUERY,
    EVENT_SYNCHRONIZE,

    MODULE_LOAD,
    MODULE_UNLOAD,
    MODULE_FUNCTION,
    FUNCTION_LOAD,
    FUNCTION_ATTRIBUTE,
    LAUNCH,

    IPC_GET,
    IPC_OPEN,
    IPC_CLOSE;

    static final FunctionRows<DriverFunction> ROWS = FunctionRows.read(DriverFunction.class, "driver.tsv");
}
