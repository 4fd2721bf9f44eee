package org.tutti.serve;

import org.jspecify.annotations.Nullable;
import org.tutti.futures.CurrentTask;
import org.tutti.serve.job.JobRunner;

/// What a served function says while it runs: its clients see it at once.
///
///     for (int i = 0; i < steps; i++) {
///         JobOutput.reportProgress(i, steps);
///         if (residual > 1) JobOutput.println("step " + i + ": residual " + residual);
///     }
///
/// A rank's `System.out` is not a job's: other threads and other libraries write to it, too, and nobody
/// could say for which job. To be called on the thread that the function was called on; on another one, and
/// where the function is called without a service, `println` writes to stdout and `reportProgress` does nothing.
public final class JobOutput {
    /// A text that is longer goes in parts.
    private static final int MOST_CHARS = 1 << 14;

    private static final long QUIET_NANOS = 20_000_000;

    private static final ThreadLocal<@Nullable JobOutput> CURRENT = new ThreadLocal<>();

    private long lastProgress = System.nanoTime() - QUIET_NANOS;

    private JobOutput() {}

    /// The calling thread begins a job.
    static void enter() {
        CURRENT.set(new JobOutput());
    }

    static void leave() {
        CURRENT.remove();
    }

    /// Says a line.
    public static void println(@Nullable Object line) {
        String text = line + "\n";
        if (CURRENT.get() == null) {
            IO.print(text);
            return;
        }
        for (int from = 0; from < text.length(); ) {
            int to = Math.min(text.length(), from + MOST_CHARS);
            // a part does not end in the middle of a character
            if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) to--;
            CurrentTask.report(JobRunner.OUTPUT + text.substring(from, to));
            from = to;
        }
    }

    /// Says that so much of the work is done. Where it comes too often, some are left out, but not that all is
    /// done.
    public static void reportProgress(long done, long total) {
        JobOutput job = CURRENT.get();
        if (job == null) return;
        long now = System.nanoTime();
        if (done != total && now - job.lastProgress < QUIET_NANOS) return;
        job.lastProgress = now;
        CurrentTask.report(JobRunner.PROGRESS + (done + " " + total));
    }
}
