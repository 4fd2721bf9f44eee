package org.tutti.bench.measure;

import static org.tutti.mpi.Buf.buf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.job.environment.Host;
import org.tutti.mpi.Comm;

/// How long a size is warmed up and how many iterations are measured.
///
/// Warm-up runs in chunks of 1, 2, 4, … iterations, up to [#LONGEST_CHUNK], until there were [#enough] of
/// them, [#WARM_LEAST] has passed ([#WARM_FIRST] for the first size), and no rank's compiler had more to do
/// in the last one than [#RESTING] allows; at most [#WARM_MOST]. Two ranks that never pause leave the
/// compilers of their JVMs little of two cores: 64 KiB are reduced in 200 µs at first, in 6 after some ten
/// thousand times, and 8 bytes take a microsecond while something is compiled. With several ranks for a
/// core these times are as many times longer. Then as many are measured as [#usual] says, or as fit into
/// [#MEASURE_LEAST] if those are more; at most as many as fit into [#MEASURE_MOST], for there are
/// libraries that take milliseconds for 8 bytes. `bench.c` and `bench.py` have the same rule, where
/// nothing is compiled: whoever changes one changes the others. What the user gives by `-x` and `-i` is
/// done exactly. Rank 0 decides between chunks and tells the others.
public final class IterationPlan {
    private static final int CONTROL = 2;
    private static final int SMALL = 8192, MEDIUM = 1 << 20;
    private static final int MOST_TIMES = 10_000_000;
    private static final double WARM_FIRST = 1e9, WARM_LEAST = 0.2e9, WARM_MOST = 4e9;
    private static final double LONGEST_CHUNK = 0.5e9;

    /// The part of a chunk's time for which a compiler may have worked.
    private static final double RESTING = 0.02;

    private static final double MEASURE_LEAST = 0.1e9, MEASURE_MOST = 1e9;

    private final Comm comm;
    private final int takingPart;
    private final BenchOptions options;

    /// Ranks for each core.
    private final double crowd;

    private final @Nullable CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private boolean first = true;

    /// What is measured, so many times.
    public interface Loop {
        void run(int times);
    }

    /// @param takingPart ranks 0 to this - 1 are measured
    public IterationPlan(Comm comm, int takingPart, BenchOptions options) {
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
        for (int chunk = 1; free || done < warmup; ) {
            int times = free ? chunk : (int) Math.min(chunk, warmup - done);
            long compiled = compiledMillis();
            long start = System.nanoTime();
            loop.run(times);
            long end = System.nanoTime();
            done += times;
            each = (double) (end - start) / times;
            if ((!free || end - start < LONGEST_CHUNK) && chunk < MOST_TIMES) chunk *= 2;
            if (!free) continue;
            double all = end - begin;
            long busy = most((compiledMillis() - compiled) * 1_000_000);
            boolean isWarm = done >= enough(bytes) && all >= least && busy <= RESTING * (end - start);
            chunk = (int) tell(isWarm || all >= crowd * WARM_MOST ? 0 : chunk);
            if (chunk == 0) break;
        }
        if (options.iterations() != BenchOptions.UNSAID) return options.iterations();
        double times = usual(bytes);
        if (each > 0) times = Math.min(Math.max(times, MEASURE_LEAST / each), MEASURE_MOST / each);
        return (int) tell((long) Math.clamp(times, 1, MOST_TIMES));
    }

    /// How long this JVM has compiled, on all threads that do.
    private long compiledMillis() {
        return compiler != null && compiler.isCompilationTimeMonitoringSupported()
                ? compiler.getTotalCompilationTime()
                : 0;
    }

    /// On rank 0 the largest of what all say that take part.
    private long most(long value) {
        long[] box = {value};
        if (comm.rank() > 0) {
            comm.send(buf(box), 0, CONTROL);
            return value;
        }
        long most = value;
        for (int r = 1; r < takingPart; r++) {
            comm.recv(buf(box), r, CONTROL);
            most = Math.max(most, box[0]);
        }
        return most;
    }

    /// What rank 0 says, on all that take part.
    private long tell(long value) {
        long[] box = {value};
        if (comm.rank() > 0) comm.recv(buf(box), 0, CONTROL);
        else for (int r = 1; r < takingPart; r++) comm.send(buf(box), r, CONTROL);
        return box[0];
    }
}
