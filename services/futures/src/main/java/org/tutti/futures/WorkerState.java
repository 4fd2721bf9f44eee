package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/// What the leading rank knows of a worker. Guarded by the dispatcher.
final class WorkerState {
    final int rank;
    final ArrayDeque<TaskBatch> under = new ArrayDeque<>();
    final RememberedJobs<Boolean> jobs = new RememberedJobs<>();
    final Set<Long> shared = new HashSet<>();
    long messages;
    long controls;

    /// Whether its last message took so little time that a second one is to lie there.
    boolean quick;

    /// Whether it has said that it leaves; whether it has died.
    boolean left;

    boolean dead;

    WorkerState(int rank) {
        this.rank = rank;
    }

    int room() {
        return dead ? 0 : (quick ? 2 : 1) - under.size();
    }

    /// How many tasks of `batch` had begun, by the word that the worker has left behind.
    int begun(TaskBatch batch, long word) {
        int ahead = (int) (word >>> Integer.SIZE) - (int) batch.serial;
        int count = (int) word;
        if (ahead < 0) return 0;
        return ahead > 0 || count == 0 ? batch.arguments.length : count;
    }
}
