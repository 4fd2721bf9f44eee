package org.tutti.device.gpu;

/// What is used of a compiler at run time, NVRTC or HIPRTC.
public enum CompilerFunction implements NativeFunction {
    VERSION("pp"),
    ARCHITECTURE_COUNT("p", true),
    ARCHITECTURES("p", true),
    CREATE("pppipp"),
    COMPILE("pip"),
    LOG_SIZE("pp"),
    LOG("pp"),
    /// Code for one kind of device.
    CODE_SIZE("pp"),
    CODE("pp"),
    /// Code that the driver compiles once more.
    PORTABLE_SIZE("pp", true),
    PORTABLE("pp", true),
    DESTROY("p");

    private final String arguments;
    private final boolean optional;

    CompilerFunction(String arguments) {
        this(arguments, false);
    }

    CompilerFunction(String arguments, boolean optional) {
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
