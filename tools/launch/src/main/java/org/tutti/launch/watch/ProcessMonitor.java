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

/// What the system knows of ranks from outside: whether they use a processor, and in which of the JVM's
/// threads, and whether they are stopped.
final class ProcessMonitor {
    private static final long UNKNOWN = -1;

    /// A tick of /proc/PID/task/TID/stat: a hundredth of a second on every Linux.
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Less may be chance.
    private static final long SOME_NANOS = 5 * TICK_NANOS;

    private static final int USER_TICKS = 11, SYSTEM_TICKS = 12;

    /// The JVM's threads that collect garbage, as the system calls them: VM Thread does, too, and little
    /// else that lasts.
    private static final List<String> COLLECTORS = List.of(
            "GC Thread#", "G1 ", "VM Thread", "ZWorker", "ZDriver", "XWorker", "Shenandoah", "Parallel GC", "ParGC");

    private final JobStatus status;
    private final long[] usedNanos;
    private final long[] collectedNanos;
    private long sinceNanos;
    private boolean begun;

    ProcessMonitor(JobStatus status) {
        this.status = status;
        usedNanos = new long[status.size()];
        collectedNanos = new long[status.size()];
    }

    /// The next [#look] begins anew.
    void forget() {
        begun = false;
    }

    /// Notes how much processor time every rank has used, unless that is noted already.
    void look() {
        if (begun) return;
        begun = true;
        sinceNanos = System.nanoTime();
        for (int r = 0; r < usedNanos.length; r++) {
            usedNanos[r] = processorNanos(r);
            collectedNanos[r] = collectorNanos(r);
        }
    }

    /// `3.9 s of processor time in the last 4.0 s`; empty when nothing is known of it.
    String processorTime(int rank) {
        long now = processorNanos(rank);
        if (!begun || now == UNKNOWN || usedNanos[rank] == UNKNOWN) return "";
        return JobText.seconds(now - usedNanos[rank]) + " of processor time in the last " + passed();
    }

    private String passed() {
        return JobText.seconds(System.nanoTime() - sinceNanos);
    }

    /// Whether the JVM has done little but to collect garbage since the look. On a busy machine it may
    /// have got little time for that.
    boolean collects(int rank) {
        if (!begun || collectedNanos[rank] == UNKNOWN || usedNanos[rank] == UNKNOWN) return false;
        long collected = collectorNanos(rank) - collectedNanos[rank];
        return collected >= SOME_NANOS && 2 * collected > processorNanos(rank) - usedNanos[rank];
    }

    /// What a rank does that has told it itself: with the processor time that it uses, where that says more.
    String describe(int rank, ThreadState doing) {
        if (doing.kind() == ThreadState.Kind.WAITS) return doing.words();
        if (collects(rank)) return "in a garbage collection for the most part, " + doing.words();
        String time = processorTime(rank);
        return time.isEmpty() ? doing.words() : doing.words() + ", " + time;
    }

    /// What a rank does that does not tell it.
    String describe(int rank) {
        if (isStopped(rank)) return "stopped by a signal";
        if (collects(rank)) return "in a garbage collection";
        String time = processorTime(rank);
        return time.isEmpty() ? "nothing is known of it" : time;
    }

    private long processorNanos(int rank) {
        Optional<Duration> used =
                ProcessHandle.of(status.pid(rank)).flatMap(p -> p.info().totalCpuDuration());
        return used.isPresent() ? used.get().toNanos() : UNKNOWN;
    }

    /// Of all threads that collect garbage together.
    private long collectorNanos(int rank) {
        long sum = 0;
        boolean any = false;
        for (Map.Entry<String, Long> thread : threadNanos(rank).entrySet()) {
            any = true;
            for (String name : COLLECTORS) if (thread.getKey().startsWith(name)) sum += thread.getValue();
        }
        return any ? sum : UNKNOWN;
    }

    /// Processor time by the names that the system has of a rank's threads, which end after 15 letters.
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

    /// The threads of a rank that has not answered, with the processor time of each: for the report.
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

    /// Where the system tells it by `/proc`.
    boolean isStopped(int rank) {
        String stat = read(Path.of("/proc", Long.toString(status.pid(rank)), "stat"));
        int at = stat.lastIndexOf(')') + 2;
        return at > 1 && (stat.charAt(at) == 'T' || stat.charAt(at) == 't');
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it has ended
        }
    }
}
