package org.tutti.launch.calls;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tutti.job.calls.CallFile;

/// The recorded calls of all ranks.
public final class JobCalls implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final List<CallFile> ranks = new ArrayList<>();
    private final int size;
    private Map<String, Long> drifts = Map.of();

    private JobCalls(int size) {
        this.size = size;
    }

    /// Reads the records of `size` ranks from the directory. A rank without records is not in [#ranks].
    ///
    /// @param finishedNanos when the job ended; 0 if the ranks have different clocks
    /// @throws IOException if a file cannot be read
    public static JobCalls read(Path directory, int size, long finishedNanos) throws IOException {
        JobCalls job = new JobCalls(size);
        try {
            for (int rank = 0; rank < size; rank++) {
                CallFile file = CallFile.open(directory, rank, finishedNanos, job.arena);
                if (file != null) job.ranks.add(file);
            }
            if (finishedNanos == 0) job.drifts = ClockDrift.correct(job);
            return job;
        } catch (IOException e) {
            job.close();
            throw e;
        }
    }

    /// Returns the ranks in numerical order.
    public List<CallFile> ranks() {
        return ranks;
    }

    /// Returns, for each drifting host, the clock drift relative to rank 0 accumulated up to the last call, in
    /// nanoseconds; positive if the host's clock is slow. All times in [#ranks] are corrected by the drift.
    public Map<String, Long> drifts() {
        return drifts;
    }

    /// Returns the number of ranks of the job, including ranks without records.
    public int size() {
        return size;
    }

    /// Returns the time of the first recorded event of any rank.
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
