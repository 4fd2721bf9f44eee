package org.tutti.futures;

/// A task that took longer than [Tasks#timeout] allows: it was interrupted.
public final class TaskTimeout extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int rank;

    TaskTimeout(String text, int rank) {
        super(text);
        this.rank = rank;
    }

    /// Returns the rank, of the communicator that the pool was made of, on which the task has run.
    /// Local.
    public int rank() {
        return rank;
    }
}
