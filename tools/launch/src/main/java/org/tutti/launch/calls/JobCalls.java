package org.tutti.launch.calls;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tutti.job.calls.CallFile;

/// What all ranks of a job have written down.
public final class JobCalls implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final List<CallFile> ranks = new ArrayList<>();
    private final int size;
    private Map<String, Long> drifts = Map.of();

    private JobCalls(int size) {
        this.size = size;
    }

    /// Reads what `size` ranks have left in the directory. A rank that has left nothing is not among
    /// [#ranks].
    ///
    /// @param endedNanos when the job ended; 0 if its ranks have clocks of their own
    /// @throws IOException if a file cannot be read
    public static JobCalls read(Path directory, int size, long endedNanos) throws IOException {
        JobCalls job = new JobCalls(size);
        try {
            for (int rank = 0; rank < size; rank++) {
                CallFile file = CallFile.open(directory, rank, endedNanos, job.arena);
                if (file != null) job.ranks.add(file);
            }
            if (endedNanos == 0) job.drifts = ClockDrift.correct(job);
            return job;
        } catch (IOException e) {
            job.close();
            throw e;
        }
    }

    /// In the order of their numbers.
    public List<CallFile> ranks() {
        return ranks;
    }

    /// Of each host whose clock has drifted from that of rank 0, how far until its last call, in nanoseconds;
    /// the times here are corrected.
    public Map<String, Long> drifts() {
        return drifts;
    }

    /// How many ranks the job has, with those that have left nothing.
    public int size() {
        return size;
    }

    /// When the first thing happened that one of them knows of.
    public long beganNanos() {
        long first = Long.MAX_VALUE;
        for (CallFile rank : ranks) {
            first = Math.min(first, rank.began());
            for (int i = 0; i < rank.records(); i++) first = Math.min(first, rank.begin(i));
        }
        return first;
    }

    @Override
    public void close() {
        arena.close();
    }
}
