package org.tutti.device.spi;

/// A failure in a backend, which callers convert to an exception that names the device. The message contains
/// the failed call, the values and the name of the error, for example `cuMemAlloc_v2(bytes=4096):
/// CUDA_ERROR_OUT_OF_MEMORY (2)`.
public final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    public enum Reason {
        /// There is not enough device memory.
        NO_MEMORY,
        /// The source does not compile; the message is the compiler's log.
        COMPILE,
        /// The module does not contain the function.
        NO_FUNCTION,
        /// The device is lost for this process: all later calls fail, too.
        LOST,
        /// A rank has terminated, or has not called the operation in which this rank is waiting.
        PEER_FAILED,
        /// This backend or the installed library does not support the call.
        UNSUPPORTED,
        /// The call failed for any other reason.
        FAILED
    }

    private final Reason reason;

    public DeviceFault(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
