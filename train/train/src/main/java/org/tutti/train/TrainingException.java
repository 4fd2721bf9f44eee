package org.tutti.train;

/// Ranks that cannot go on training one model, and why.
public final class TrainingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TrainingException(String message) {
        super(message);
    }

    public TrainingException(String message, Throwable cause) {
        super(message, cause);
    }
}
