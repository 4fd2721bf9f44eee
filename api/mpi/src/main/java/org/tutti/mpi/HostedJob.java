package org.tutti.mpi;

import java.util.List;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.status.JobStatus;
import org.tutti.mpi.Session.Membership;
import org.tutti.mpi.engine.Engines;
import org.tutti.mpi.pool.WorkerJob;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.Spawner;

/// See [WorkerJob]. The program cannot access the [Mpi] of this job.
final class HostedJob extends WorkerJob {
    private final Spawner.Workers workers;
    private final Mpi mpi;

    private HostedJob(Spawner.Workers workers, Engine engine) {
        this.workers = workers;
        mpi = new Membership(new EngineCalls(engine, null), null).begin(Mpi.Kind.CONNECTION);
    }

    static WorkerJob create(int count, Class<?> program, List<String> jvm) {
        try {
            if (!(Engines.named(RankEnvironment.SHM) instanceof EngineProvider.Local shm)) {
                throw new IllegalStateException("the engine " + RankEnvironment.SHM + " is not Tutti's");
            }
            Spawner.Workers workers = Spawn.launcher("processes").startWorkers(count, program, jvm);
            try {
                JobStatus status = workers.status();
                HostedJob job = new HostedJob(workers, shm.openHost(status));
                status.state(0, JobStatus.State.JOINED);
                return job;
            } catch (Throwable t) {
                workers.end();
                throw t;
            }
        } catch (Fault fault) {
            throw MpiException.of(fault);
        }
    }

    @Override
    public Object world() {
        return mpi.world();
    }

    @Override
    public JobStatus status() {
        return workers.status();
    }

    @Override
    public void kill() {
        workers.kill();
    }

    @Override
    public void close() {
        try {
            mpi.close();
            status().state(0, JobStatus.State.LEFT);
        } catch (MpiException e) {
            // the job has failed, and the workers are killed
        } finally {
            workers.end();
        }
    }
}
