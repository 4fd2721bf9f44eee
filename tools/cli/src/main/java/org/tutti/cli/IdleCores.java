package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks before a benchmark whether other processes use the cores.
final class IdleCores {
    private static final Path STATISTICS = Path.of("/proc/stat"), SELF = Path.of("/proc/self/stat");
    private static final long SAMPLE_MILLIS = 100;

    /// A note is returned if the number of idle cores is less than the number of ranks, minus this tolerance.
    private static final double TOLERANCE = 0.5;

    /// Columns of `/proc/stat`. A core that waits for a disk counts as idle.
    private static final int IDLE = 3, WAITING = 4;

    /// The number of columns from user to steal. The columns after steal are not added, because the columns
    /// user and nice already include these times.
    private static final int COLUMNS = 8;

    private IdleCores() {}

    /// Returns a note if the ranks will compete with other processes, or null.
    static @Nullable String note(int ranks) throws InterruptedException {
        try {
            String before = Files.readString(STATISTICS), selfBefore = Files.readString(SELF);
            Thread.sleep(SAMPLE_MILLIS);
            return note(ranks, before, Files.readString(STATISTICS), ticks(Files.readString(SELF)) - ticks(selfBefore));
        } catch (IOException e) {
            return null; // not Linux, or hidden by a sandbox
        }
    }

    /// @param before the content of `/proc/stat` at the start of the sample
    /// @param self the processor time of this process during the sample, in ticks
    static @Nullable String note(int ranks, String before, String after, long self) {
        int cores = (int) after.lines().filter(line -> line.matches("cpu\\d.*")).count();
        long[] from = times(before), to = times(after);
        long all = Arrays.stream(to).sum() - Arrays.stream(from).sum();
        if (all <= 0) return null;
        double idle = cores * (double) (to[IDLE] + to[WAITING] - from[IDLE] - from[WAITING] + self) / all;
        if (idle >= Math.min(ranks, cores) - TOLERANCE) return null;
        return "other processes use %.1f of %d cores; repeat the measurement on an idle machine"
                .formatted(cores - idle, cores);
    }

    private static long[] times(String statistics) {
        String[] words = statistics.lines().findFirst().orElse("").split(" +");
        if (words.length <= COLUMNS) return new long[COLUMNS];
        return Arrays.stream(words)
                .skip(1)
                .limit(COLUMNS)
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /// Returns the processor time of the process. In `/proc/self/stat`, the name of the process, in
    /// parentheses, may contain blanks.
    private static long ticks(String statistics) {
        List<String> words =
                List.of(statistics.substring(statistics.lastIndexOf(')') + 2).split(" "));
        return Long.parseLong(words.get(11)) + Long.parseLong(words.get(12));
    }
}
