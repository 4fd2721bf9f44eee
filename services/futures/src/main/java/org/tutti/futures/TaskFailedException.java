package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// A task threw an exception. Instead of the exception object, its class, message, stack and causes are sent,
/// as strings. The stack is from the rank on which the task ran, and ends with the line that created the task:
///
///     TaskFailedException: IllegalArgumentException: singular (task 17 of map at Fit.java:88, rank 3 of 5)
///         at rank 3//Fit.solve(Fit.java:41)
///         at task made//Fit.main(Fit.java:88)
public final class TaskFailedException extends PoolException {
    private static final long serialVersionUID = 1;

    private final String remoteClassName;
    private final int rank;
    private final long taskNumber;

    TaskFailedException(String text, String remoteClassName, int rank, long taskNumber, @Nullable Throwable cause) {
        super(text, cause);
        this.remoteClassName = remoteClassName;
        this.rank = rank;
        this.taskNumber = taskNumber;
    }

    /// Returns the name of the exception's class on the throwing rank. Local.
    public String remoteClassName() {
        return remoteClassName;
    }

    /// Returns the rank on which the task ran, in the communicator from which the pool was created. Local.
    public int rank() {
        return rank;
    }

    /// Returns the number of the task, from 0, in the call that submitted it. Local.
    public long taskNumber() {
        return taskNumber;
    }
}
