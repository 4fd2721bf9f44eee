package org.tutti.device.source;

/// A source says what is not known here. The message ends with nothing about the place, which [#line]
/// has.
public final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int line;

    public SourceException(int line, String message) {
        super(message);
        this.line = line;
    }

    /// From 1 on.
    public int line() {
        return line;
    }
}
