package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// A task that threw. Exceptions do not travel as objects: class, text, stack and causes do, as words.
/// The stack is that of the rank where it happened, and ends with the line that made the task:
///
///     TaskFailure: IllegalArgumentException: singular (task 17 of map at Fit.java:88, rank 3 of 5)
///         at rank 3//Fit.solve(Fit.java:41)
///         at made by rank 0//Fit.main(Fit.java:88)
public final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String remoteClass;
    private final int rank;
    private final long task;

    TaskFailure(String text, String remoteClass, int rank, long task, @Nullable Throwable cause) {
        super(text, cause);
        this.remoteClass = remoteClass;
        this.rank = rank;
        this.task = task;
    }

    /// Returns the name of the exception's class, on the rank where it was thrown. Local.
    public String remoteClass() {
        return remoteClass;
    }

    /// Returns the rank, of the communicator that the pool was made of, on which the task has run.
    /// Local.
    public int rank() {
        return rank;
    }

    /// Returns the number of the task, from 0 on, among those that were given together. Local.
    public long task() {
        return task;
    }
}
