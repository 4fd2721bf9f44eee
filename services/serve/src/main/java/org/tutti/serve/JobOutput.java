package org.tutti.serve;

import org.jspecify.annotations.Nullable;
import org.tutti.futures.CurrentTask;
import org.tutti.serve.job.JobRunner;

/// Output of a served function while it runs; clients receive it immediately.
///
///     for (int i = 0; i < steps; i++) {
///         JobOutput.reportProgress(i, steps);
///         if (residual > 1) JobOutput.println("step " + i + ": residual " + residual);
///     }
///
/// The `System.out` of a rank cannot be used: other threads and libraries write to it, too, so that lines
/// cannot be attributed to a job. Call these methods on the thread that runs the function. On a different
/// thread, or when the function runs without a service, `println` writes to stdout and `reportProgress` has no
/// effect.
public final class JobOutput {
    /// Maximum length of a part. Longer texts are sent in several parts.
    private static final int MOST_CHARS = 1 << 14;

    private static final long QUIET_NANOS = 20_000_000;

    private static final ThreadLocal<@Nullable JobOutput> CURRENT = new ThreadLocal<>();

    private long lastProgress = System.nanoTime() - QUIET_NANOS;

    private JobOutput() {}

    /// Marks the start of a job on the calling thread.
    static void enter() {
        CURRENT.set(new JobOutput());
    }

    static void leave() {
        CURRENT.remove();
    }

    /// Prints a line.
    public static void println(@Nullable Object line) {
        String text = line + "\n";
        if (CURRENT.get() == null) {
            IO.print(text);
            return;
        }
        for (int from = 0; from < text.length(); ) {
            int to = Math.min(text.length(), from + MOST_CHARS);
            // a part does not end within a surrogate pair
            if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) to--;
            CurrentTask.report(JobRunner.OUTPUT + text.substring(from, to));
            from = to;
        }
    }

    /// Reports that `done` of `total` units of work are complete. Frequent reports are dropped, except the last
    /// one, with `done` equal to `total`.
    public static void reportProgress(long done, long total) {
        JobOutput job = CURRENT.get();
        if (job == null) return;
        long now = System.nanoTime();
        if (done != total && now - job.lastProgress < QUIET_NANOS) return;
        job.lastProgress = now;
        CurrentTask.report(JobRunner.PROGRESS + (done + " " + total));
    }
}
