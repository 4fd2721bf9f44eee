package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// Tasks of the same job in one message to a worker. The mutable state is guarded by the dispatcher.
final class TaskBatch {
    /// Receives the end of each task, once. Called under the dispatcher's lock, so implementations are short
    /// and call no code of the program.
    interface Sink {
        void done(long task, @Nullable Object value);

        /// Results of tasks with consecutive numbers.
        default void done(long first, @Nullable Object[] values) {
            for (int i = 0; i < values.length; i++) done(first + i, values[i]);
        }

        void failed(long task, RuntimeException why);

        /// Called when a task is cancelled, because the pool was closed or the caller has cancelled the task.
        void cancelled(long task);

        /// Called when some tasks of this batch are moved to a separate message, `part`.
        default void begins(TaskBatch part) {}

        /// Receives a report of a running task. Called without the lock, in the order of the reports, and
        /// before the end of the task.
        default void reported(String text, int rank) {}

        /// Called when all tasks of the batch have ended or were moved to other batches.
        ///
        /// @param nanos the time from begin to end on the worker; 0 if unknown
        /// @param bytes the total size of the message and the answer
        default void ended(TaskBatch batch, long nanos, long bytes) {}

        /// Called when the next answer has not arrived or is not for this sink. The sink then notifies the
        /// threads that wait for results.
        default void wake() {}
    }

    final PoolJob job;
    final Sink sink;

    /// The number of the first task.
    final long first;

    final @Nullable Object[] arguments;

    /// Whether the batch was cancelled.
    boolean unwanted;

    /// The number of tasks that have ended, if the tasks are answered one by one.
    int answered;

    /// Whether the worker has announced a separate answer for each task (PARTS).
    boolean inParts;

    /// The beginning of the error message if a task is lost a second time: `rank 2 was killed (SIGKILL) in the
    /// first attempt, and `; empty in the first attempt.
    String firstLoss = "";

    /// Whether this is the task of a future and has not ended.
    boolean isOfFuture;

    /// The index of the worker that has this batch; -1 before it was sent.
    int worker = -1;

    /// The serial of the message at the worker, see [Wire].
    long serial;

    PoolLink.@Nullable Pending send;

    TaskBatch(PoolJob job, Sink sink, long first, @Nullable Object... arguments) {
        this.job = job;
        this.sink = sink;
        this.first = first;
        this.arguments = arguments;
    }

    /// Returns whether the batch consists of tasks that any worker may run.
    boolean isOfTasks() {
        return job.kind() == Wire.APPLY || job.kind() == Wire.CALL || job.kind() == Wire.FOLD;
    }

    /// Publishes the answer of `rank`.
    ///
    /// @param at index of the answer's first task among the tasks of the message
    /// @param failures a `failure` (see [Wire]) for each failed task, in the order of the tasks; the values of
    ///     failed tasks are not used
    /// @param size the size of the pool's communicator
    void publish(int rank, int size, int at, Object[] values, Object[] failures) {
        if (failures.length == 0) {
            sink.done(first + at, values);
            return;
        }
        int failed = 0;
        for (int i = 0; i < values.length; i++) {
            int position = at + i;
            Object[] row = failed < failures.length ? (Object[]) failures[failed] : null;
            if (row == null || (Integer) row[0] != position) {
                sink.done(first + position, values[i]);
                continue;
            }
            failed++;
            if ((Integer) row[1] == Wire.CANCELLED) sink.cancelled(first + position);
            else sink.failed(first + position, TaskFailures.exception(this, row, rank, "rank " + rank + " of " + size));
        }
    }

    /// Fails the next task of a batch with tasks that are answered one by one.
    void failNext(RuntimeException why) {
        sink.failed(first + answered++, why);
    }

    void fail(RuntimeException why) {
        for (int i = answered; i < arguments.length; i++) sink.failed(first + i, why);
        sink.ended(this, 0, 0);
    }

    void cancel() {
        for (int i = answered; i < arguments.length; i++) sink.cancelled(first + i);
        sink.ended(this, 0, 0);
    }
}
