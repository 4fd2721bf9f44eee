package org.tutti.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.tutti.mpi.bootstrap.JobBoard;

/// What the system knows of ranks that say nothing: whether they use a processor, whether they are stopped.
final class ProcessLook {
    private static final long UNKNOWN = -1;

    private final JobBoard board;
    private final long[] usedNanos;
    private long sinceNanos;
    private boolean begun;

    ProcessLook(JobBoard board) {
        this.board = board;
        usedNanos = new long[board.size()];
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
        for (int r = 0; r < usedNanos.length; r++) usedNanos[r] = processorNanos(r);
    }

    /// What a rank does that is in no wait: `3.9 s of processor time in the last 4.0 s`.
    String describe(int rank) {
        if (isStopped(rank)) return "stopped by a signal";
        long now = processorNanos(rank);
        long passed = System.nanoTime() - sinceNanos;
        if (!begun || now == UNKNOWN || usedNanos[rank] == UNKNOWN) return "nothing is known of it";
        long used = now - usedNanos[rank];
        return Words.seconds(used) + " of processor time in the last " + Words.seconds(passed);
    }

    private long processorNanos(int rank) {
        Optional<Duration> used =
                ProcessHandle.of(board.pid(rank)).flatMap(p -> p.info().totalCpuDuration());
        return used.isPresent() ? used.get().toNanos() : UNKNOWN;
    }

    /// Where the system tells it by `/proc`.
    boolean isStopped(int rank) {
        try {
            Path file = Path.of("/proc", Long.toString(board.pid(rank)), "stat");
            String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'T' || state == 't';
        } catch (IOException e) {
            return false;
        }
    }
}
