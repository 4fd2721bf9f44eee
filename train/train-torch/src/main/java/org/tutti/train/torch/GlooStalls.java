package org.tutti.train.torch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reports that a rank has waited for other ranks longer than the stall time, because Gloo prints no message
/// before the timeout.
///
/// After the stall time a waiting rank publishes the sequence number of the wait. A second later, or earlier if
/// the stall time is less than four seconds, the lowest waiting rank prints a report. The report lists as
/// missing the ranks that have not published the same number. A rank that does not wait publishes no number.
final class GlooStalls implements AutoCloseable {
    private static final Duration DEFAULT = Duration.ofSeconds(10);
    private static final long MOST_POLL_NANOS = 1_000_000_000, MOST_STOP_MILLIS = 5000;

    /// Storage in which each waiting rank publishes the sequence number of the wait.
    interface PublishedWaits {
        void publish(int rank, long wait);

        /// Returns 0 for a rank that has not published a number.
        long published(int rank);
    }

    /// @param number the number of this rank's waits so far, which is the same on all ranks of a correct
    ///     program
    private record Wait(long number, String operation, Thread thread, long sinceNanos) {}

    private final PublishedWaits shared;
    private final int rank;
    private final List<String> hosts;
    private final long stallNanos;
    private final Duration timeout;
    private final Consumer<String> report;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("tutti-gloo-stalls").unstarted(this::watch);

    private long waits;
    private volatile @Nullable Wait now;
    private volatile boolean isClosed;

    /// @param hosts by rank
    /// @param timeout after which Gloo ends a wait
    GlooStalls(
            PublishedWaits shared,
            int rank,
            List<String> hosts,
            Duration stall,
            Duration timeout,
            Consumer<String> report) {
        this.shared = shared;
        this.rank = rank;
        this.hosts = hosts;
        this.timeout = timeout;
        this.report = report;
        stallNanos = stall.toNanos();
        if (stallNanos > 0 && hosts.size() > 1) thread.start();
    }

    /// Returns the stall time that the variable states, in seconds; 10 seconds if it is null or not a number.
    static Duration time(@Nullable String variable) {
        if (variable == null) return DEFAULT;
        try {
            return Duration.ofNanos((long) (1e9 * Math.max(0, Double.parseDouble(variable))));
        } catch (NumberFormatException e) {
            return DEFAULT;
        }
    }

    void begin(String operation) {
        now = new Wait(++waits, operation, Thread.currentThread(), System.nanoTime());
    }

    void end() {
        now = null;
    }

    private void watch() {
        long poll = Math.min(MOST_POLL_NANOS, Math.max(1, stallNanos / 4));
        Wait published = null, reported = null;
        while (!isClosed) {
            LockSupport.parkNanos(poll);
            Wait wait = now;
            if (isClosed || wait == null || wait == reported) continue;
            if (System.nanoTime() - wait.sinceNanos < stallNanos) continue;
            try {
                if (wait != published) {
                    shared.publish(rank, wait.number);
                    published = wait; // the other ranks can publish until the next poll
                    continue;
                }
                reported = wait;
                report(wait);
            } catch (RuntimeException e) {
                return; // rank 0, which hosts the store, has terminated
            }
        }
    }

    private void report(Wait wait) {
        List<Integer> waiting = new ArrayList<>(), missing = new ArrayList<>();
        for (int r = 0; r < hosts.size(); r++) {
            (r == rank || shared.published(r) == wait.number ? waiting : missing).add(r);
        }
        if (waiting.getFirst() != rank || now != wait) return;
        long seconds = Math.round((System.nanoTime() - wait.sinceNanos) / 1e9);
        report.accept("tutti: stall: " + ranks(waiting) + (waiting.size() == 1 ? " has" : " have")
                + " been waiting for "
                + seconds + " s in " + wait.operation + line(wait.thread) + ": "
                + (missing.isEmpty()
                        ? "all ranks have called it, so the connection is slow or broken"
                        : ranks(missing) + " ("
                                + missing.stream().map(hosts::get).distinct().collect(Collectors.joining(", "))
                                + (missing.size() == 1 ? ") has" : ") have") + " not called it")
                + "; over gloo the wait ends after " + timeout.toSeconds() + " s");
    }

    private static String ranks(List<Integer> of) {
        return (of.size() == 1 ? "rank " : "ranks ")
                + of.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /// Returns the line of the user's program that the thread is executing, for example ` at Train.java:40`.
    private static String line(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            String type = frame.getClassName();
            boolean isLibrary = type.startsWith("java.")
                    || type.startsWith("jdk.")
                    || type.startsWith("org.bytedeco.")
                    || type.startsWith("org.tutti.train.") && !type.endsWith("Test");
            if (!isLibrary && frame.getLineNumber() > 0)
                return " at " + frame.getFileName() + ":" + frame.getLineNumber();
        }
        return "";
    }

    /// Ends the reports. Returns false if a call of the store is still running, because the store's host does
    /// not answer.
    boolean stop() {
        isClosed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(MOST_STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    @Override
    public void close() {
        stop();
    }
}
