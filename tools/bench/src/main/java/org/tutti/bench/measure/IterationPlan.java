package org.tutti.bench.measure;

import static org.tutti.mpi.Buf.buf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.job.environment.Host;
import org.tutti.mpi.Comm;

/// Determines the warm-up and the number of measured iterations of a size.
///
/// Warm-up runs in chunks of 1, 2, 4, … iterations; chunks stop growing when a chunk lasts [#LONGEST_CHUNK].
/// Warm-up ends when [#enough] iterations have run, [#WARM_LEAST] has passed ([#WARM_FIRST] for the first
/// size), and the JIT compilers of all ranks were active for at most the fraction [#RESTING] of the last chunk.
/// It ends after [#WARM_MOST] in any case. With several ranks per core, [#WARM_LEAST], [#WARM_FIRST] and
/// [#WARM_MOST] are multiplied by [#crowd].
///
/// Such a long warm-up is necessary because two ranks that spin on two cores leave little processor time to the
/// JIT compilers. A reduction of 64 KiB needs 200 µs at first and 6 µs after about 10,000 iterations; a
/// reduction of 8 bytes needs a whole microsecond while compilers are active.
///
/// After the warm-up, [#defaultIterations] iterations are measured, or the number that fits into
/// [#MEASURE_LEAST] if this number is larger; at most the number that fits into [#MEASURE_MOST], because some
/// libraries need milliseconds for 8 bytes. Values of `-x` and `-i` are used exactly. After each chunk, rank 0
/// decides whether warm-up continues, and notifies the other ranks.
///
/// `bench.c` and `bench.py` use the same rule and times, without [#LONGEST_CHUNK], [#RESTING] and [#crowd]:
/// change all three files together.
public final class IterationPlan {
    private static final int CONTROL = 2;
    private static final int SMALL = 8192, MEDIUM = 1 << 20;
    private static final int MOST_TIMES = 10_000_000;
    private static final double WARM_FIRST = 1e9, WARM_LEAST = 0.2e9, WARM_MOST = 4e9;
    private static final double LONGEST_CHUNK = 0.5e9;

    /// The maximum fraction of a chunk's time in which a compiler was active.
    private static final double RESTING = 0.02;

    private static final double MEASURE_LEAST = 0.1e9, MEASURE_MOST = 1e9;

    private final Comm comm;
    private final int takingPart;
    private final BenchOptions options;

    /// The number of ranks per core, at least 1.
    private final double crowd;

    private final @Nullable CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private boolean first = true;

    /// The measured operation, repeated.
    public interface Loop {
        void run(int times);
    }

    /// @param takingPart the number of ranks that take part in the measurement, which are those with the lowest
    ///     numbers
    public IterationPlan(Comm comm, int takingPart, BenchOptions options) {
        this.comm = comm;
        this.takingPart = takingPart;
        this.options = options;
        crowd = Math.max(1, (double) comm.size() / Host.cores());
    }

    /// Returns the number of measured iterations for a message of `bytes`, unless limited by time.
    private static int defaultIterations(long bytes) {
        return bytes <= SMALL ? 10_000 : bytes <= MEDIUM ? 1000 : 100;
    }

    /// Returns the number of warm-up iterations after which code is compiled.
    private static int enough(long bytes) {
        return bytes <= MEDIUM ? 20_000 : 300;
    }

    /// Warms up a size; returns the number of iterations to measure.
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
            chunk = (int) broadcast(isWarm || all >= crowd * WARM_MOST ? 0 : chunk);
            if (chunk == 0) break;
        }
        if (options.iterations() != BenchOptions.UNSAID) return options.iterations();
        double times = defaultIterations(bytes);
        if (each > 0) times = Math.min(Math.max(times, MEASURE_LEAST / each), MEASURE_MOST / each);
        return (int) broadcast((long) Math.clamp(times, 1, MOST_TIMES));
    }

    /// Returns the compilation time of this JVM, on all compiler threads.
    private long compiledMillis() {
        return compiler != null && compiler.isCompilationTimeMonitoringSupported()
                ? compiler.getTotalCompilationTime()
                : 0;
    }

    /// Returns the maximum of the values of all participating ranks, on rank 0 only.
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

    /// Returns the value of rank 0 on all participating ranks.
    private long broadcast(long value) {
        long[] box = {value};
        if (comm.rank() > 0) comm.recv(buf(box), 0, CONTROL);
        else for (int r = 1; r < takingPart; r++) comm.send(buf(box), r, CONTROL);
        return box[0];
    }
}
