package org.tutti.train;

/// The ranks cannot continue to train one model, with the reason.
public final class TrainingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TrainingException(String message) {
        super(message);
    }

    public TrainingException(String message, Throwable cause) {
        super(message, cause);
    }
}
