package org.tutti.launch.watch;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.run.JobLimits;
import org.tutti.spi.JobWatcher;

/// Reports stalls and deadlocks, as Tutti's launcher does, for jobs without this launcher: jobs that mpirun or
/// srun has started, which a thread of rank 0 watches, and jobs with threads as ranks.
@SuppressWarnings("exports") // used only by the service loader
public final class StallWatcher implements JobWatcher {
    private static final Duration PERIOD = Duration.ofMillis(250);

    /// For the service loader.
    public StallWatcher() {}

    @Override
    public Watch watch(JobStatus status, Consumer<String> say, Consumer<String> end) {
        JobExamination examination = new JobExamination(null, 0, false, status);
        Thread thread =
                Thread.ofPlatform().daemon().name("tutti-stalls").start(() -> watch(status, examination, say, end));
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

    private static void watch(
            JobStatus status, JobExamination examination, Consumer<String> say, Consumer<String> end) {
        StallMonitor stalls = StallMonitor.withoutLauncher(status, JobLimits.STALL.toNanos(), say, examination);
        try (examination) {
            while (true) {
                Thread.sleep(PERIOD);
                String deadlock = stalls.check();
                if (deadlock == null) continue;
                end.accept(deadlock);
                return;
            }
        } catch (InterruptedException e) {
            // the job is over, or all threads must end
        } catch (IOException e) {
            // thrown by close: the files of the ranks are no longer needed
        }
    }
}
