package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// Tasks of one job that go to a worker in one message. What changes is guarded by the dispatcher.
final class TaskBatch {
    /// Who hears of the ends of tasks, once of each. Under the dispatcher's lock, so it is quick and
    /// calls nobody.
    interface Sink {
        void done(long task, @Nullable Object value);

        /// Of tasks with numbers that follow each other.
        default void done(long first, @Nullable Object[] values) {
            for (int i = 0; i < values.length; i++) done(first + i, values[i]);
        }

        void failed(long task, RuntimeException why);

        /// The pool was closed, or who has given the task does not want it any more.
        void cancelled(long task);

        /// Some of its tasks are a message of their own from now on.
        default void begins(TaskBatch part) {}

        /// What a task that runs has to say; not under the lock, in the order in which it says it, and before
        /// its end is told.
        default void reported(String text, int rank) {}

        /// All of its tasks have ended, or are others' now.
        ///
        /// @param nanos from its begin to its end on the worker; 0 when that is not known
        /// @param bytes of the message and its answer
        default void ended(TaskBatch batch, long nanos, long bytes) {}

        /// No further answer is at hand: who waits for what was told is to look now.
        default void wake() {}
    }

    final PoolJob job;
    final Sink sink;

    /// The number of the first task.
    final long first;

    final @Nullable Object[] arguments;

    /// Nobody wants it any more.
    boolean unwanted;

    /// How many of its tasks have ended, where that is told of them one by one.
    int told;

    /// Whether the worker has announced a separate answer for each task (PARTS).
    boolean inParts;

    /// `rank 2 was killed (SIGKILL) in its first try, and `; empty in the first try.
    String firstLoss = "";

    /// Whether it is a future's, and has not ended.
    boolean isOfFuture;

    /// Who has it; -1 before it was sent.
    int worker = -1;

    /// Of the message, as its worker counts.
    long serial;

    PoolLink.@Nullable Pending send;

    TaskBatch(PoolJob job, Sink sink, long first, @Nullable Object... arguments) {
        this.job = job;
        this.sink = sink;
        this.first = first;
        this.arguments = arguments;
    }

    /// Whether it is tasks that any worker may run.
    boolean isOfTasks() {
        return job.kind() == Wire.APPLY || job.kind() == Wire.CALL || job.kind() == Wire.FOLD;
    }

    /// What `rank` has answered.
    ///
    /// @param at of the first of the tasks among those of the message
    /// @param failures of those that have a row, in order; their values are nothing
    /// @param size of the pool's communicator
    void tell(int rank, int size, int at, Object[] values, Object[] failures) {
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

    /// Fails the next task of a batch that is answered in parts.
    void failNext(RuntimeException why) {
        sink.failed(first + told++, why);
    }

    void fail(RuntimeException why) {
        for (int i = told; i < arguments.length; i++) sink.failed(first + i, why);
        sink.ended(this, 0, 0);
    }

    void cancel() {
        for (int i = told; i < arguments.length; i++) sink.cancelled(first + i);
        sink.ended(this, 0, 0);
    }
}
