package org.tutti.launch;

/// A run that cannot be started as requested. The message is sufficient for the user, so no stack trace is
/// printed; the exit code is 2.
public class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UsageException(String text) {
        super(text);
    }
}
