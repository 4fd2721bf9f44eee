package org.tutti.device.gpu;

/// What is used of a driver's interface. The interfaces of CUDA and HIP are the same but for names, so a
/// row is one function of both; the vendor's table has its names.
public enum DriverFunction implements NativeFunction {
    INIT("i"),
    DRIVER_VERSION("p"),

    DEVICE_COUNT("p"),
    DEVICE("pi"),
    DEVICE_NAME("pii"),
    DEVICE_UUID("pi", true),
    DEVICE_MEMORY("pi"),
    DEVICE_PCI_ID("pii"),
    DEVICE_ATTRIBUTE("pii"),

    CONTEXT_RETAIN("pi"),
    CONTEXT_RELEASE("i"),
    /// Takes a context, or a device's number, as the vendor's table says.
    MAKE_CURRENT("p"),

    MEMORY_INFO("pp"),
    ALLOCATE("pp"),
    FREE("p"),
    ALLOCATE_MANAGED("ppi", true),
    ADDRESS_RANGE("ppp", true),

    HOST_ALLOCATE("ppi"),
    HOST_FREE("p"),

    COPY_TO_DEVICE_ASYNC("pppp"),
    COPY_TO_HOST_ASYNC("pppp"),
    COPY_ON_DEVICE_ASYNC("pppp"),
    CAN_ACCESS_PEER("pii", true),
    /// Takes contexts, or devices' numbers, as [#MAKE_CURRENT].
    ENABLE_PEER("pi", true),
    /// As [#ENABLE_PEER].
    COPY_PEER_ASYNC("pppppp", true),
    FILL_8_ASYNC("pipp"),
    FILL_16_ASYNC("pipp"),
    FILL_32_ASYNC("pipp"),

    STREAM_CREATE("pi"),
    STREAM_DESTROY("p"),
    STREAM_SYNCHRONIZE("p"),
    STREAM_QUERY("p"),
    STREAM_WAIT_EVENT("ppi"),

    EVENT_CREATE("pi"),
    EVENT_DESTROY("p"),
    EVENT_RECORD("pp"),
    EVENT_QUERY("p"),
    EVENT_SYNCHRONIZE("p"),

    MODULE_LOAD("pp"),
    MODULE_UNLOAD("p"),
    MODULE_FUNCTION("ppp"),
    FUNCTION_LOAD("p", true),
    FUNCTION_ATTRIBUTE("pip", true),
    LAUNCH("piiiiiiippp"),

    IPC_GET("pp", true),
    IPC_OPEN("phi", true),
    IPC_CLOSE("p", true);

    private final String arguments;
    private final boolean optional;

    DriverFunction(String arguments) {
        this(arguments, false);
    }

    DriverFunction(String arguments, boolean optional) {
        this.arguments = arguments;
        this.optional = optional;
    }

    @Override
    public String arguments() {
        return arguments;
    }

    @Override
    public boolean optional() {
        return optional;
    }
}
