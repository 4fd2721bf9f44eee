package org.tutti.bench.kernels;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Global synchronization: in each iteration, each rank computes a number from the last total, and an allreduce
/// of a single `long` adds the numbers of all ranks.
final class GlobalSum implements ApplicationKernel {
    /// Numbers have 40 bits, so that a total does not overflow.
    private static final int SHIFT = 24;

    private final Comm world;
    private final int me, ranks;
    private long total;

    GlobalSum(Mpi mpi) {
        world = mpi.world();
        me = world.rank();
        ranks = world.size();
    }

    @Override
    public void run(int iterations) {
        for (int k = 0; k < iterations; k++) total = world.allreduce(number(total, me), Op.SUM);
    }

    private static long number(long total, int rank) {
        return Hash64.at(total + rank) >>> SHIFT;
    }

    @Override
    public long checksum() {
        return (2L * me + 1) * total;
    }

    @Override
    public long expected(int iterations) {
        long last = 0;
        for (int k = 0; k < iterations; k++) {
            long sum = 0;
            for (int r = 0; r < ranks; r++) sum += number(last, r);
            last = sum;
        }
        return (2L * me + 1) * last;
    }
}
