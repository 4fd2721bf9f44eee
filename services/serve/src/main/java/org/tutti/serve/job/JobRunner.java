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

/// Gives jobs to the pool, the first of the queue as soon as a worker is free.
///
/// What a task reports begins with a letter: [#BEGUN], [#PROGRESS] with two numbers, [#OUTPUT] with a text.
public final class JobRunner {
    public static final char BEGUN = 'b', PROGRESS = 'p', OUTPUT = 'o';

    /// When the disk did not take that a job begins, until it is tried again.
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

    /// Completes exceptionally when the pool has ended, and with it the service.
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
            Thread.currentThread().interrupt(); // by nobody: the thread is the service's own
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
            if (function == null) throw new IllegalStateException("there is no function " + job.function());
            RankFuture<byte[]> future =
                    tasks.submit(function.call(), job.takeArgument(), (text, rank) -> report(job, text, rank));
            job.runs(future);
            future.onEnd().toCompletableFuture().join(); // a cancelled task has its worker until then
            finish(job, future);
        } catch (BrokenPoolException e) {
            broken.completeExceptionally(e); // on the disk it runs: the next service says that it is lost
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

    /// On the pool's thread, in the order in which the task says it.
    private static void report(ServiceJob job, String text, int rank) {
        if (text.isEmpty()) return;
        String rest = text.substring(1);
        switch (text.charAt(0)) {
            case BEGUN -> job.runsOn(rank);
            case OUTPUT -> job.output(rank, rest);
            case PROGRESS -> {
                ServiceJob.Progress progress = progress(rest);
                if (progress != null) job.progress(progress);
            }
            default -> {} // of a program that reports by itself: nobody has asked for it here
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

    /// No job begins any more, and those that run are interrupted and lost; does not wait for their ranks.
    public void close() {
        queue.close();
        for (ServiceJob job : queue.list(null, null, Integer.MAX_VALUE)) job.close();
    }
}
