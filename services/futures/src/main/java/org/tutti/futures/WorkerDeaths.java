package org.tutti.futures;

import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.JobStatus;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;

/// Which workers have died, in a job that outlives them: by what the launcher says on the board. See
/// docs/decisions/70.
class WorkerDeaths {
    /// A job that ends when one does.
    static final WorkerDeaths NONE = new WorkerDeaths(null);

    private final @Nullable JobStatus board;
    private long seen;

    WorkerDeaths(@Nullable JobStatus board) {
        this.board = board;
    }

    /// Of a pool of all ranks, whose numbers are those of the job; it outlives workers from now on, where its
    /// launcher does.
    static WorkerDeaths ofJob() {
        RankProcess process = RankProcess.current();
        JobStatus board = process == null ? null : process.board();
        if (board == null || !RankEnvironment.isOfPool()) return NONE;
        board.outlivesWorkers();
        return new WorkerDeaths(board);
    }

    /// Whether there are more since this was asked before; by one thread.
    boolean areNew() {
        JobStatus b = board;
        if (b == null) return false;
        long now = b.losses();
        boolean more = now != seen;
        seen = now;
        return more;
    }

    boolean isDead(int rank) {
        return board != null && board.isLost(rank);
    }

    /// `was killed (SIGKILL)`.
    String how(int rank) {
        return board == null ? "has died" : board.loss(rank);
    }

    /// See [WorkerState#begun].
    long begun(int rank) {
        return board == null ? 0 : board.begun(rank);
    }

    /// Whether a call has failed because a worker has died, and nothing else is wrong.
    static boolean isDeath(MpiException e) {
        return e.scope() == MpiException.Scope.MESSAGE && e.errorClass() == ErrorClass.ERR_PROC_FAILED;
    }
}
