package org.tutti.train;

/// Thrown when the ranks cannot continue to train one model. The message contains the reason.
public final class TrainingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TrainingException(String message) {
        super(message);
    }

    public TrainingException(String message, Throwable cause) {
        super(message, cause);
    }
}
