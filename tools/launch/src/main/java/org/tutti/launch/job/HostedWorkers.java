package org.tutti.launch.job;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.output.RankOutput;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.rank.InheritedEnvironment;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Run;
import org.tutti.launch.watch.JobExamination;
import org.tutti.spi.Spawner;

/// The worker processes of a pool, and the launcher of these workers, which runs in the process of rank 0. In
/// contrast to [Job], this class does not end this process or the job after a failure: rank 0 detects dead
/// workers from the status page, and decides when the job ends. The application handles signals and the end of
/// this process.
final class HostedWorkers implements Spawner.Workers, Runnable {
    private static final long POLL_MILLIS = 250;
    private static final long GRACE_MILLIS = 1000;
    private static final long QUIET_PIPE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Run run;
    private final Program program;
    private final CompletableFuture<JobStatus> started = new CompletableFuture<>();
    private final List<ProcessHandle> processes = new ArrayList<>();

    /// The launcher's thread; the workers end with this thread.
    private final Thread thread =
            Thread.ofPlatform().daemon().name("tutti-pool-launcher").unstarted(this);

    /// Guarded by `this`, as are the following fields.
    private int ended;

    /// The time at which rank 0 left, in nanoseconds; 0 before that.
    private long leftAtNanos;

    private boolean isKilled;

    private HostedWorkers(Run run, Program program) {
        this.run = run;
        this.program = program;
    }

    /// Starts the workers.
    ///
    /// @param run all ranks, including rank 0
    /// @throws IOException if a process cannot be started; no process remains
    static HostedWorkers start(Run run, Program program) throws IOException {
        HostedWorkers workers = new HostedWorkers(run, program);
        workers.thread.start();
        try {
            workers.started.join();
            return workers;
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    @Override
    public JobStatus status() {
        return started.join();
    }

    @Override
    public void run() {
        try (JobFile file = OsPlatform.open().createFile("tutti", JobFile.BYTES)) {
            JobStatus status = JobStatus.create(file, run.size(), true);
            status.program(run.title());
            status.claim(0, ProcessHandle.current().pid());
            status.outlivesWorkers();
            RankOutput output = new RankOutput(run.output(), 0, run.size(), false, () -> {});
            try (JobExamination examination = new JobExamination(null, 0, false, status)) {
                startAll(file, status, output);
                started.complete(status);
                while (isRunning()) examination.grant();
            }
            output.drain(QUIET_PIPE_NANOS);
        } catch (Throwable t) { // reported to the caller of start; after the start, the workers are killed
            started.completeExceptionally(t);
        } finally {
            kill();
        }
    }

    private void startAll(JobFile file, JobStatus status, RankOutput output) throws IOException {
        RankOutcomes outcome = new RankOutcomes(status, true, true);
        Bindings bindings = Bindings.of(run.placement().binding(), run.size());
        ProcessBuilder builder = new ProcessBuilder();
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        Map<String, String> environment = builder.environment();
        InheritedEnvironment.clean(environment);
        environment.put(RankEnvironment.PROGRAM, "0");
        environment.put(RankEnvironment.JOB, file.path());
        for (int rank = 1; rank < run.size(); rank++) {
            environment.putAll(LocalJob.variables(run, bindings, rank, 0));
            builder.command(RankCommand.of(program, run, bindings.processors(rank), null));
            int of = rank;
            Process process = builder.start();
            processes.add(process.toHandle());
            output.relay(process.getInputStream(), rank, 0);
            output.relay(process.getErrorStream(), rank, 1);
            process.onExit().thenAccept(p -> {
                if (!hasLeft() && outcome.recordWorkerDeath(of, p.exitValue())) report(status, of, output);
                recordEnd();
            });
        }
    }

    private synchronized void report(JobStatus status, int rank, RankOutput output) {
        if (!isKilled && isReady(status))
            output.say("rank " + rank + " " + status.loss(rank) + "; the pool continues without it");
    }

    /// Whether all workers have joined, left or failed. If a worker is killed before it has joined, the pool
    /// cannot be opened, and the exception that rank 0 then receives reports the death.
    private static boolean isReady(JobStatus status) {
        for (int rank = 1; rank < status.size(); rank++) {
            if (status.state(rank).compareTo(JobStatus.State.JOINED) < 0) return false;
        }
        return true;
    }

    /// Whether rank 0 has left, so that the end of a worker is expected.
    private synchronized boolean hasLeft() {
        return leftAtNanos != 0;
    }

    private synchronized void recordEnd() {
        ended++;
        notifyAll();
    }

    /// Returns false when rank 0 has left and all workers have ended, or the time to end is over. Otherwise waits
    /// for a short time and returns true.
    private synchronized boolean isRunning() throws InterruptedException {
        boolean isExpected = leftAtNanos != 0;
        if (isExpected && ended == processes.size()) return false;
        if (isExpected && System.nanoTime() - leftAtNanos > TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS)) return false;
        wait(isExpected ? 10 : POLL_MILLIS);
        return true;
    }

    @Override
    public void kill() {
        synchronized (this) {
            isKilled = true;
        }
        boolean isInterrupted = Thread.interrupted();
        try {
            ProcessTermination.all(processes, 0);
        } catch (InterruptedException e) {
            isInterrupted = true;
            processes.forEach(ProcessHandle::destroyForcibly);
        }
        if (isInterrupted) Thread.currentThread().interrupt();
    }

    @Override
    public void end() {
        synchronized (this) {
            if (leftAtNanos == 0) leftAtNanos = System.nanoTime();
            notifyAll();
        }
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true; // the wait is short
            }
        }
        if (isInterrupted) Thread.currentThread().interrupt();
    }
}
