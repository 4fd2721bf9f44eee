package org.tutti.futures;

import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.JobStatus;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;

/// Detects dead workers in a job that survives the deaths of workers, from the job status that the launcher
/// writes. See docs/decisions/70.
class WorkerDeaths {
    /// Reports no deaths: for a job that ends when a rank dies.
    static final WorkerDeaths NONE = new WorkerDeaths(null);

    private final @Nullable JobStatus status;
    private long seen;

    WorkerDeaths(@Nullable JobStatus status) {
        this.status = status;
    }

    /// Returns the deaths of a pool of all ranks, with the job's rank numbers. From this call on, the job
    /// survives the deaths of workers, if the launcher supports it.
    static WorkerDeaths ofJob() {
        RankProcess process = RankProcess.current();
        JobStatus status = process == null ? null : process.jobStatus();
        if (status == null || !RankEnvironment.isOfPool()) return NONE;
        status.outlivesWorkers();
        return new WorkerDeaths(status);
    }

    /// Returns whether there are more deaths than at the previous call. Called by one thread.
    boolean areNew() {
        JobStatus b = status;
        if (b == null) return false;
        long now = b.losses();
        boolean more = now != seen;
        seen = now;
        return more;
    }

    boolean isDead(int rank) {
        return status != null && status.isLost(rank);
    }

    /// Returns how the rank died, for example `was killed (SIGKILL)`.
    String how(int rank) {
        return status == null ? "has died" : status.loss(rank);
    }

    /// Returns the last progress of the rank, as passed to [WorkerState#started].
    long started(int rank) {
        return status == null ? 0 : status.started(rank);
    }

    /// Returns whether a call has failed only because a worker has died.
    static boolean isDeath(MpiException e) {
        return e.scope() == MpiException.Scope.MESSAGE && e.errorClass() == ErrorClass.ERR_PROC_FAILED;
    }
}
