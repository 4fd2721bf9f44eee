package org.tutti.device;

/// The source of a kernel does not compile. The message contains the first erroneous line and the compiler's
/// log.
public final class KernelCompileException extends DeviceException {
    private static final long serialVersionUID = 1;

    private final int line;
    private final String log;

    KernelCompileException(String message, int line, String log, Throwable cause) {
        super(message, cause);
        this.line = line;
        this.log = log;
    }

    /// Returns the line number in the source, counted from 1; 0 if the log does not contain a line number.
    public int line() {
        return line;
    }

    /// Returns the unmodified log of the compiler.
    public String log() {
        return log;
    }
}
