package org.tutti.mpi.pool;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// A job of this process, which is rank 0, and of workers that this process has started. Apart from this job,
/// the process is not a rank: no failure of the job ends the process, and the process can have several such
/// jobs.
public abstract class WorkerJob {
    private static final String USER_API = "org.tutti.mpi.Mpi";

    private static volatile @Nullable Starter starter;

    protected WorkerJob() {}

    /// Starts a job.
    public interface Starter {
        WorkerJob start(int workers, Class<?> program, List<String> jvm);
    }

    /// Called once, by the user API.
    public static void install(Starter newStarter) {
        starter = newStarter;
    }

    /// Starts worker processes. Does not wait until they have joined.
    ///
    /// @param program a class of the program, which the workers must be able to load
    /// @param jvm options of the workers' JVMs
    public static WorkerJob start(int workers, Class<?> program, List<String> jvm) {
        try {
            Class.forName(USER_API); // installs the starter
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        Starter known = starter;
        if (known == null) throw new IllegalStateException(USER_API + " has installed no starter");
        return known.start(workers, program, jvm);
    }

    /// Returns the `org.tutti.mpi.Comm` of all ranks.
    public abstract Object world();

    /// Returns the status, in which dead workers are marked.
    public abstract JobStatus status();

    /// Kills the workers, which are then marked as dead. Returns when they have ended.
    public abstract void kill();

    /// Leaves the job, waits for a short time until the workers have ended, and then kills the remaining
    /// workers.
    public abstract void close();
}
