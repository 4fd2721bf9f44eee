package org.tutti.futures;

/// A worker has died while it ran a task, or before it sent the result. Unstarted tasks are not lost, but run on
/// other workers. A [Tasks#idempotent] task may run twice; it is lost when the second worker dies, too.
///
///     WorkerLostException: rank 2 was killed (SIGKILL) in task 204 of map at Fit.java:88; 1 unstarted task moved to
///     other workers; 3 of 4 workers continue
public final class WorkerLostException extends PoolException {
    private static final long serialVersionUID = 1;

    private final int rank;
    private final long taskNumber;
    private final boolean hasStarted;

    WorkerLostException(String text, int rank, long taskNumber, boolean hasStarted) {
        super(text, null);
        this.rank = rank;
        this.taskNumber = taskNumber;
        this.hasStarted = hasStarted;
    }

    /// Returns the rank that has died; the second one if there were two. Local.
    public int rank() {
        return rank;
    }

    /// Returns the number of the task, from 0, in the call that submitted it. Local.
    public long taskNumber() {
        return taskNumber;
    }

    /// Returns whether the task was started. An unstarted task is lost only if it was that worker's part of
    /// [RankPool#callOnAll]. Local.
    public boolean hasStarted() {
        return hasStarted;
    }
}
