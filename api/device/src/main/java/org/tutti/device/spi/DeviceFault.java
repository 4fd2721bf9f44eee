package org.tutti.device.spi;

/// What a backend throws; above it, this becomes an exception that names the device. The message says
/// which call failed, with its values and the name of its error: `cuMemAlloc_v2(bytes=4096):
/// CUDA_ERROR_OUT_OF_MEMORY (2)`.
public final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    public enum Reason {
        /// The device has not that much memory.
        NO_MEMORY,
        /// The source of a kernel is wrong; the message is the compiler's log.
        COMPILE,
        /// There is no such function in a module.
        NO_FUNCTION,
        /// The device is lost for this process: each later call fails, too.
        LOST,
        /// Another rank is gone, or did not call what this one waits in.
        PEER_FAILED,
        /// This backend, or the library that it found, cannot do it.
        UNSUPPORTED,
        /// Anything else.
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
