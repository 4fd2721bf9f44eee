package org.tutti.launch.watch;

import java.time.Duration;
import java.util.function.Consumer;
import org.tutti.job.JobStatus;
import org.tutti.launch.run.JobLimits;
import org.tutti.spi.JobWatcher;

/// Stall pages and deadlocks of a job that mpirun or srun has started: what Tutti's launcher says of its
/// own jobs, said by a thread of rank 0.
@SuppressWarnings("exports") // nobody but the service loader sees it
public final class StallWatcher implements JobWatcher {
    private static final Duration LOOK = Duration.ofMillis(250);

    /// For the service loader.
    public StallWatcher() {}

    @Override
    public void watch(JobStatus status, Consumer<String> say, Consumer<String> end) {
        Thread.ofPlatform().daemon().name("tutti-stalls").start(() -> look(status, say, end));
    }

    private static void look(JobStatus status, Consumer<String> say, Consumer<String> end) {
        JobExamination examination = new JobExamination(null, 0, false, status);
        StallMonitor stalls = new StallMonitor(status, JobLimits.STALL.toNanos(), say, examination, false, false);
        try {
            while (true) {
                Thread.sleep(LOOK);
                String deadlock = stalls.look();
                if (deadlock == null) continue;
                end.accept(deadlock);
                return;
            }
        } catch (InterruptedException e) {
            // somebody ends all threads
        }
    }
}
