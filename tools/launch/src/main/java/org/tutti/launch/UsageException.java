package org.tutti.launch;

/// What was asked for cannot be started. Its text is all that the user needs to read; the exit code is 2.
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UsageException(String text) {
        super(text);
    }
}
