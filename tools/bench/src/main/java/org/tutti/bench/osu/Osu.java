package org.tutti.bench.osu;

import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;

/// One rank's part in an OSU test.
public final class Osu {
    private Osu() {}

    /// Returns whether all verified data was correct, on all ranks.
    public static boolean run(BenchMemory memory, BenchOptions options, Report report) {
        return switch (options.test().family()) {
            case PAIR, PAIRS, ONE_SIDED -> new Pairs(memory, options, report).run();
            case FILE -> new FileTests(memory, options, report).run();
            case COLLECTIVE -> new CollectiveTests(memory, options, report).run();
            case NONBLOCKING -> new Overlaps(memory, options, report).run();
            case HELLO, RING, PINGPONG, FUTURES, KERNEL ->
                throw new IllegalArgumentException(options.test().word() + " is not an OSU test");
        };
    }
}
