package org.tutti.serve.job;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.BrokenPoolException;
import org.tutti.futures.RankFuture;
import org.tutti.futures.RankPool;
import org.tutti.futures.Tasks;

/// Submits jobs to the pool: takes the first job from the queue as soon as a worker is free.
///
/// The first character of a task's report is the kind: [#STARTED], [#PROGRESS] with two numbers, [#OUTPUT] with
/// the printed text.
public final class JobRunner {
    public static final char STARTED = 'b', PROGRESS = 'p', OUTPUT = 'o';

    /// Interval between attempts to record on disk that a job has started.
    private static final long AGAIN_MILLIS = 1000;

    private final JobQueue queue;
    private final Tasks tasks;
    private final Map<String, ServedFunction> functions;
    private final CompletableFuture<Void> broken = new CompletableFuture<>();
    private final Thread thread;

    public JobRunner(RankPool pool, JobQueue queue, Map<String, ServedFunction> functions, ServiceLimits limits) {
        this.queue = queue;
        this.functions = functions;
        tasks = pool.withTimeout(limits.jobTime());
        thread = Thread.ofVirtual().name("tutti-service-queue").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Completes exceptionally when the pool has ended, which ends the service.
    public CompletableFuture<Void> broken() {
        return broken;
    }

    private void run() {
        try {
            for (ServiceJob job = queue.take(); job != null; job = queue.take()) {
                if (!begin(job)) continue;
                ServiceJob own = job;
                Thread.ofVirtual().name("tutti-service-job").start(() -> call(own));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not expected: the service does not interrupt this thread
        }
    }

    private boolean begin(ServiceJob job) throws InterruptedException {
        try {
            if (job.begin()) return true;
            job.end(JobState.CANCELLED, null, null);
            queue.release(job);
        } catch (IOException e) {
            System.err.println("tutti: service: the queue waits, since it cannot be written: " + e);
            queue.putBack(job);
            Thread.sleep(AGAIN_MILLIS);
        }
        return false;
    }

    private void call(ServiceJob job) {
        ServedFunction function = functions.get(job.function());
        try {
            if (function == null) throw new IllegalStateException("no function " + job.function());
            RankFuture<byte[]> future =
                    tasks.submit(function.call(), job.takeArgument(), (text, rank) -> report(job, text, rank));
            job.runs(future);
            future.onEnd().toCompletableFuture().join(); // a cancelled task occupies the worker until the task ends
            finish(job, future);
        } catch (BrokenPoolException e) {
            broken.completeExceptionally(e); // the job is `running` on disk: the next service reports it as lost
            return;
        } catch (RuntimeException | Error e) {
            job.end(JobState.FAILED, null, JobError.of(e));
        }
        queue.release(job);
    }

    private void finish(ServiceJob job, RankFuture<byte[]> future) {
        try {
            job.end(JobState.DONE, future.join(), null);
        } catch (CancellationException e) {
            job.end(JobState.CANCELLED, null, null);
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof BrokenPoolException broken) throw broken;
            job.end(JobState.FAILED, null, JobError.of(cause));
        }
    }

    /// Called on the pool's thread, in the order of the reports.
    private static void report(ServiceJob job, String text, int rank) {
        if (text.isEmpty()) return;
        String rest = text.substring(1);
        switch (text.charAt(0)) {
            case STARTED -> job.runsOn(rank);
            case OUTPUT -> job.output(rank, rest);
            case PROGRESS -> {
                ServiceJob.Progress progress = progress(rest);
                if (progress != null) job.progress(progress);
            }
            default -> {} // a report of the program itself is not supported here
        }
    }

    private static ServiceJob.@Nullable Progress progress(String text) {
        String[] numbers = text.split(" ");
        try {
            return numbers.length == 2
                    ? new ServiceJob.Progress(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]))
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /// Stops the submission of jobs. Running jobs are interrupted and lost; does not wait for the ranks.
    public void close() {
        queue.close();
        for (ServiceJob job : queue.list(null, null, Integer.MAX_VALUE)) job.close();
    }
}
