package org.tutti.launch.watch;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.tutti.job.process.ThreadState;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.JobText;

/// The state of ranks according to the operating system: CPU time, the JVM threads that use it, and whether
/// processes are stopped.
final class ProcessMonitor {
    private static final long UNKNOWN = -1;

    /// A tick of /proc/PID/task/TID/stat: 10 ms on every Linux.
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// The CPU time of garbage collection below which [#collects] returns false, because it is insignificant.
    private static final long SOME_NANOS = 5 * TICK_NANOS;

    private static final int USER_TICKS = 11, SYSTEM_TICKS = 12;

    /// Prefixes of the names that the JVM's garbage collection threads have in the operating system. VM Thread
    /// also collects garbage, and rarely runs other long operations.
    private static final List<String> COLLECTORS = List.of(
            "GC Thread#", "G1 ", "VM Thread", "ZWorker", "ZDriver", "XWorker", "Shenandoah", "Parallel GC", "ParGC");

    private final JobStatus status;
    private final long[] usedNanos;
    private final long[] collectedNanos;
    private long sinceNanos;
    private boolean hasStarted;

    ProcessMonitor(JobStatus status) {
        this.status = status;
        usedNanos = new long[status.size()];
        collectedNanos = new long[status.size()];
    }

    /// Discards the recorded times; the next [#update] records new times.
    void forget() {
        hasStarted = false;
    }

    /// Records the CPU time of every rank, unless it has been recorded since the last [#forget].
    void update() {
        if (hasStarted) return;
        hasStarted = true;
        sinceNanos = System.nanoTime();
        for (int r = 0; r < usedNanos.length; r++) {
            usedNanos[r] = processorNanos(r);
            collectedNanos[r] = collectorNanos(r);
        }
    }

    /// Returns `3.9 s of processor time in the last 4.0 s`, which began when [#update] recorded the times; empty
    /// if unknown.
    String processorTime(int rank) {
        long now = processorNanos(rank);
        if (!hasStarted || now == UNKNOWN || usedNanos[rank] == UNKNOWN) return "";
        return JobText.seconds(now - usedNanos[rank]) + " of processor time in the last " + passed();
    }

    private String passed() {
        return JobText.seconds(System.nanoTime() - sinceNanos);
    }

    /// Whether most of the CPU time that the JVM has used since [#update] recorded the times was garbage
    /// collection. The result depends on the fraction and not on the elapsed time, because on a busy machine the
    /// JVM may get little CPU time in total.
    boolean collects(int rank) {
        if (!hasStarted || collectedNanos[rank] == UNKNOWN || usedNanos[rank] == UNKNOWN) return false;
        long collected = collectorNanos(rank) - collectedNanos[rank];
        return collected >= SOME_NANOS && 2 * collected > processorNanos(rank) - usedNanos[rank];
    }

    /// Describes the activity that a rank has reported, with the CPU time if that adds information.
    String describe(int rank, ThreadState doing) {
        if (doing.kind() == ThreadState.Kind.WAITS) return doing.words();
        if (collects(rank)) return "in garbage collection most of the time, " + doing.words();
        String time = processorTime(rank);
        return time.isEmpty() ? doing.words() : doing.words() + ", " + time;
    }

    /// Describes the activity of a rank that has not reported one.
    String describe(int rank) {
        if (isStopped(rank)) return "stopped by a signal";
        if (collects(rank)) return "in garbage collection";
        String time = processorTime(rank);
        return time.isEmpty() ? "in an unknown state" : time;
    }

    private long processorNanos(int rank) {
        Optional<Duration> used =
                ProcessHandle.of(status.pid(rank)).flatMap(p -> p.info().totalCpuDuration());
        return used.isPresent() ? used.get().toNanos() : UNKNOWN;
    }

    /// Returns the CPU time of all garbage collection threads.
    private long collectorNanos(int rank) {
        long sum = 0;
        boolean any = false;
        for (Map.Entry<String, Long> thread : threadNanos(rank).entrySet()) {
            any = true;
            for (String name : COLLECTORS) if (thread.getKey().startsWith(name)) sum += thread.getValue();
        }
        return any ? sum : UNKNOWN;
    }

    /// Returns CPU times by thread name; the operating system truncates names to 15 characters.
    private Map<String, Long> threadNanos(int rank) {
        Map<String, Long> nanos = new HashMap<>();
        File[] threads = new File("/proc/" + status.pid(rank) + "/task").listFiles();
        if (threads == null) return nanos;
        for (File thread : threads) {
            String stat = read(thread.toPath().resolve("stat"));
            int open = stat.indexOf('('), close = stat.lastIndexOf(')');
            if (open < 0 || close < open) continue;
            String[] fields = stat.substring(close + 2).split(" ");
            long ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
            nanos.merge(stat.substring(open + 1, close), ticks * TICK_NANOS, Long::sum);
        }
        return nanos;
    }

    /// Returns the threads of a rank that has not answered, with the CPU time of each, for the report.
    String threads(int rank) {
        List<Map.Entry<String, Long>> threads =
                new ArrayList<>(threadNanos(rank).entrySet());
        threads.sort(Map.Entry.<String, Long>comparingByValue().reversed());
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Long> thread : threads) {
            text.append("    ").append(thread.getKey()).append(": ");
            text.append(JobText.seconds(thread.getValue())).append(" of processor time\n");
        }
        return text.toString();
    }

    /// Whether the process is stopped; false if `/proc` does not exist.
    boolean isStopped(int rank) {
        String stat = read(Path.of("/proc", Long.toString(status.pid(rank)), "stat"));
        int at = stat.lastIndexOf(')') + 2;
        return at > 1 && (stat.charAt(at) == 'T' || stat.charAt(at) == 't');
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // the process has ended
        }
    }
}
