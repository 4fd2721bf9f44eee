package org.tutti.bench.mpi4py;

import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// One rank's part in one of mpi4py's tests.
public final class Mpi4py {
    private Mpi4py() {}

    /// Whether everything that was looked at was right, on all ranks.
    public static boolean run(Mpi mpi, BenchOptions options, Report report) {
        switch (options.test().family()) {
            case HELLO -> HelloWorld.run(mpi, options, report);
            case RING -> {
                return ObjectRing.run(mpi, options, report);
            }
            case PINGPONG -> PingPongTest.run(mpi, options, report);
            case PAIR, PAIRS, ONE_SIDED, FILE, COLLECTIVE, NONBLOCKING ->
                throw new IllegalArgumentException(options.test().word() + " is none of mpi4py's");
        }
        return true;
    }
}
