package org.tutti.futures;

/// A task exceeded the limit of [Tasks#withTimeout] and was interrupted.
public final class TaskTimeoutException extends PoolException {
    private static final long serialVersionUID = 1;

    private final int rank;

    TaskTimeoutException(String text, int rank) {
        super(text, null);
        this.rank = rank;
    }

    /// Returns the rank on which the task ran, in the communicator from which the pool was created. Local.
    public int rank() {
        return rank;
    }
}
