package org.tutti.futures;

/// A task whose worker has died in it. Tasks that had not begun are not lost: other workers get them. One
/// that may run twice says so by [Tasks#idempotent]; it is lost when its second worker dies, too.
///
///     WorkerLostException: rank 2 was killed (SIGKILL) in task 204 of map at Fit.java:88; 1 not begun went to others;
///     3 of 4 workers go on
public final class WorkerLostException extends PoolException {
    private static final long serialVersionUID = 1;

    private final int rank;
    private final long taskNumber;
    private final boolean hasBegun;

    WorkerLostException(String text, int rank, long taskNumber, boolean hasBegun) {
        super(text, null);
        this.rank = rank;
        this.taskNumber = taskNumber;
        this.hasBegun = hasBegun;
    }

    /// Returns the rank that has died, the last one if there were two. Local.
    public int rank() {
        return rank;
    }

    /// Returns the number of the task, from 0 on, among those that were given together. Local.
    public long taskNumber() {
        return taskNumber;
    }

    /// Returns whether the task had begun. One that had not is lost only where it was that worker's part of
    /// [RankPool#callOnAll]. Local.
    public boolean hasBegun() {
        return hasBegun;
    }
}
