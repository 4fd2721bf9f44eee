package org.tutti.launch.job;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// The processes of ranks that a native launcher has started on this machine, found by the pids on the status
/// page. A process is resolved once, soon after the pid is published, because the pid may be reused later.
final class RankProcesses {
    private final JobStatus status;
    private final @Nullable ProcessHandle[] known;
    private final boolean[] seen;

    RankProcesses(JobStatus status) {
        this.status = status;
        known = new ProcessHandle[status.size()];
        seen = new boolean[status.size()];
    }

    /// Searches for new processes. To be called a few times per second.
    void update() {
        for (int rank = 0; rank < seen.length; rank++) {
            long pid = seen[rank] ? 0 : status.pid(rank);
            if (pid == 0) continue;
            seen[rank] = true;
            known[rank] = ProcessHandle.of(pid).orElse(null);
        }
    }

    /// Whether the rank's pid has been published, but the process has ended or was not found.
    boolean hasDisappeared(int rank) {
        ProcessHandle process = known[rank];
        return seen[rank] && (process == null || !process.isAlive());
    }

    /// Returns null if the process has not been found, or has ended.
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
