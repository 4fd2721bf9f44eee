package org.tutti.launch.watch;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.run.JobLimits;
import org.tutti.spi.JobWatcher;

/// Stall pages and deadlocks of a job that mpirun or srun has started, reported by a thread of rank 0, and of
/// one whose ranks are threads: the same that Tutti's launcher reports of its jobs.
@SuppressWarnings("exports") // nobody but the service loader sees it
public final class StallWatcher implements JobWatcher {
    private static final Duration LOOK = Duration.ofMillis(250);

    /// For the service loader.
    public StallWatcher() {}

    @Override
    public Watch watch(JobStatus status, Consumer<String> say, Consumer<String> end) {
        JobExamination examination = new JobExamination(null, 0, false, status);
        Thread thread =
                Thread.ofPlatform().daemon().name("tutti-stalls").start(() -> look(status, examination, say, end));
        return new Watch() {
            @Override
            public @Nullable String difference() {
                return examination.differenceOfCalls();
            }

            @Override
            public void close() {
                thread.interrupt();
            }
        };
    }

    private static void look(JobStatus status, JobExamination examination, Consumer<String> say, Consumer<String> end) {
        StallMonitor stalls = StallMonitor.withoutLauncher(status, JobLimits.STALL.toNanos(), say, examination);
        try (examination) {
            while (true) {
                Thread.sleep(LOOK);
                String deadlock = stalls.look();
                if (deadlock == null) continue;
                end.accept(deadlock);
                return;
            }
        } catch (InterruptedException e) {
            // the job is over, or all threads are to end
        } catch (IOException e) {
            // what ranks wrote is not needed anymore
        }
    }
}
