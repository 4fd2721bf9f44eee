package org.tutti.bench.osu;

import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// One rank's part in one of OSU's tests.
public final class Osu {
    private Osu() {}

    /// Whether everything that was looked at was right, on all ranks.
    public static boolean run(Mpi mpi, BenchOptions options, Report report) {
        return switch (options.test().family()) {
            case PAIR, PAIRS, ONE_SIDED -> new Pairs(mpi, options, report).run();
            case FILE -> new FileTests(mpi, options, report).run();
            case COLLECTIVE -> new CollectiveTests(mpi, options, report).run();
            case NONBLOCKING -> new Overlaps(mpi, options, report).run();
            case HELLO, RING, PINGPONG ->
                throw new IllegalArgumentException(options.test().word() + " is none of OSU's");
        };
    }
}
