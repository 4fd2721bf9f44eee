package org.tutti.launch.job;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// The processes of ranks that somebody else starts on this machine, by what the board says of them. A
/// process is looked up once, soon after its pid is on the board: later the same pid may be another's.
final class RankProcesses {
    private final JobStatus board;
    private final @Nullable ProcessHandle[] known;
    private final boolean[] seen;

    RankProcesses(JobStatus board) {
        this.board = board;
        known = new ProcessHandle[board.size()];
        seen = new boolean[board.size()];
    }

    /// To be called a few times per second.
    void look() {
        for (int rank = 0; rank < seen.length; rank++) {
            long pid = seen[rank] ? 0 : board.pid(rank);
            if (pid == 0) continue;
            seen[rank] = true;
            known[rank] = ProcessHandle.of(pid).orElse(null);
        }
    }

    /// Whether it was there and has ended.
    boolean isGone(int rank) {
        ProcessHandle process = known[rank];
        return seen[rank] && (process == null || !process.isAlive());
    }

    /// Null where it has not been seen, or has ended.
    @Nullable
    ProcessHandle of(int rank) {
        ProcessHandle process = known[rank];
        return process != null && process.isAlive() ? process : null;
    }

    List<ProcessHandle> all() {
        List<ProcessHandle> all = new ArrayList<>();
        for (ProcessHandle process : known) if (process != null) all.add(process);
        return all;
    }
}
