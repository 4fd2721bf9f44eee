package org.tutti.bench.mpi4py;

import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;

/// One rank's part in an mpi4py test.
public final class Mpi4py {
    private Mpi4py() {}

    /// Returns whether all checked data was correct, on all ranks.
    public static boolean run(BenchMemory memory, BenchOptions options, Report report) {
        switch (options.test().family()) {
            case HELLO -> HelloWorld.run(memory.mpi(), options, report);
            case RING -> {
                return ObjectRing.run(memory.mpi(), options, report);
            }
            case FUTURES -> {
                return PoolTasks.run(memory.mpi(), options, report);
            }
            case PINGPONG -> PingPongTest.run(memory, options, report);
            case KERNEL, PAIR, PAIRS, ONE_SIDED, FILE, COLLECTIVE, NONBLOCKING ->
                throw new IllegalArgumentException(options.test().word() + " is not an mpi4py test");
        }
        return true;
    }
}
