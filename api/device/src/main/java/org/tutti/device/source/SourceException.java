package org.tutti.device.source;

/// Thrown if a source contains an unsupported construct. The message does not contain the position; [#line]
/// returns it.
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int line;

    public SourceException(int line, String message) {
        super(message);
        this.line = line;
    }

    /// Returns the line number, starting at 1.
    public int line() {
        return line;
    }
}
