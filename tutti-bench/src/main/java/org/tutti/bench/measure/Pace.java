package org.tutti.bench.measure;

import static org.tutti.mpi.Buf.buf;

import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Comm;
import org.tutti.mpi.bootstrap.Host;

/// How long a size is warmed up and how many iterations are measured.
///
/// Warm-up runs in chunks of 1, 2, 4, … iterations until there were [#enough] of them and [#WARM_LEAST]
/// has passed ([#WARM_FIRST] for the first size), at most [#WARM_MOST]; all three times as many times as
/// there are ranks for a core, because the JVM's compiler needs its time between ranks that never pause:
/// 64 KiB are reduced in 200 µs at first, in 6 after some ten thousand times. Then as many are measured as
/// [#usual] says, or as fit into [#MEASURE_LEAST] if those are more; at most as many as fit into
/// [#MEASURE_MOST], for there are libraries that take milliseconds for 8 bytes. `bench.c` and `bench.py`
/// have the same rule, but for the warm-up: C has no compiler that works meanwhile. What the user gives by
/// `-x` and `-i` is done exactly. Rank 0 decides between chunks and tells the others.
public final class Pace {
    private static final int CONTROL = 2;
    private static final int SMALL = 8192, MEDIUM = 1 << 20;
    private static final int MOST_TIMES = 10_000_000;
    private static final double WARM_FIRST = 1e9, WARM_LEAST = 0.2e9, WARM_MOST = 4e9;
    private static final double MEASURE_LEAST = 0.1e9, MEASURE_MOST = 1e9;

    private final Comm comm;
    private final int takingPart;
    private final BenchOptions options;

    /// Ranks for each core.
    private final double crowd;

    private boolean first = true;

    /// What is measured, so many times.
    public interface Loop {
        void run(int times);
    }

    /// @param takingPart ranks 0 to this - 1 are measured
    public Pace(Comm comm, int takingPart, BenchOptions options) {
        this.comm = comm;
        this.takingPart = takingPart;
        this.options = options;
        crowd = Math.max(1, (double) comm.size() / Host.cores());
    }

    /// What is enough for a message of `bytes`, as far as its time is not too short for a clock.
    private static int usual(long bytes) {
        return bytes <= SMALL ? 10_000 : bytes <= MEDIUM ? 1000 : 100;
    }

    /// Warm-up iterations after which code is compiled.
    private static int enough(long bytes) {
        return bytes <= MEDIUM ? 20_000 : 300;
    }

    /// Warms up a size; returns how many iterations are to be measured.
    public int warm(Loop loop, long bytes) {
        double least = crowd * (first ? WARM_FIRST : WARM_LEAST);
        first = false;
        int warmup = options.warmup();
        boolean free = warmup == BenchOptions.UNSAID;
        double each = 0;
        long done = 0, begin = System.nanoTime();
        for (int chunk = 1; free || done < warmup; chunk = chunk < MOST_TIMES ? 2 * chunk : chunk) {
            int times = free ? chunk : (int) Math.min(chunk, warmup - done);
            long start = System.nanoTime();
            loop.run(times);
            long end = System.nanoTime();
            done += times;
            each = (double) (end - start) / times;
            if (!free) continue;
            double all = end - begin;
            boolean isWarm = done >= enough(bytes) && all >= least;
            if (tell(isWarm || all >= crowd * WARM_MOST ? 1 : 0) == 1) break;
        }
        if (options.iterations() != BenchOptions.UNSAID) return options.iterations();
        double times = usual(bytes);
        if (each > 0) times = Math.min(Math.max(times, MEASURE_LEAST / each), MEASURE_MOST / each);
        return (int) tell((long) Math.clamp(times, 1, MOST_TIMES));
    }

    /// What rank 0 says, on all that take part.
    private long tell(long value) {
        long[] box = {value};
        if (comm.rank() > 0) comm.recv(buf(box), 0, CONTROL);
        else for (int r = 1; r < takingPart; r++) comm.send(buf(box), r, CONTROL);
        return box[0];
    }
}
