package org.tutti.futures;

/// A task that took longer than [Tasks#withTimeout] allows: it was interrupted.
public final class TaskTimeoutException extends PoolException {
    private static final long serialVersionUID = 1;

    private final int rank;

    TaskTimeoutException(String text, int rank) {
        super(text, null);
        this.rank = rank;
    }

    /// Returns the rank, of the communicator that the pool was made of, on which the task has run.
    /// Local.
    public int rank() {
        return rank;
    }
}
