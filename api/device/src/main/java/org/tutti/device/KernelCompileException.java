package org.tutti.device;

/// The source of a kernel is wrong. The message has the first line that is, and the compiler's log.
public final class KernelCompileException extends DeviceException {
    private static final long serialVersionUID = 1;

    private final int line;
    private final String log;

    KernelCompileException(String message, int line, String log, Throwable cause) {
        super(message, cause);
        this.line = line;
        this.log = log;
    }

    /// The line of the source, from 1 on; 0 where the log names none.
    public int line() {
        return line;
    }

    /// As the compiler wrote it.
    public String log() {
        return log;
    }
}
