package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/// The state of a worker, as known to the leading rank. Guarded by the dispatcher.
final class WorkerState {
    final int rank;
    final ArrayDeque<TaskBatch> under = new ArrayDeque<>();
    final RememberedJobs<Boolean> jobs = new RememberedJobs<>();
    final Set<Long> shared = new HashSet<>();
    long messages;
    long controls;

    /// Whether the last message took so little time that a second one is sent in advance.
    boolean quick;

    /// Whether the worker has confirmed the end of service.
    boolean left;

    boolean dead;

    WorkerState(int rank) {
        this.rank = rank;
    }

    int room() {
        return dead ? 0 : (quick ? 2 : 1) - under.size();
    }

    /// Returns the number of started tasks of `batch`.
    ///
    /// @param word the worker's last progress: the serial of the message in the upper half, and the number of
    ///     tasks in the lower
    int started(TaskBatch batch, long word) {
        int ahead = (int) (word >>> Integer.SIZE) - (int) batch.serial;
        int count = (int) word;
        if (ahead < 0) return 0;
        return ahead > 0 || count == 0 ? batch.arguments.length : count;
    }
}
