package org.tutti.bench.kernels;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// The sum of the transposes of a matrix: in each iteration, the transpose of A is added to B, then 1 is added
/// to each cell of A. Each rank stores the same block of rows of A and of B. To update the block of B, a rank
/// needs the columns of A that have the same numbers as the rows of the block: a square from each rank.
///
/// Initially, cell (i, j) of A is i * order + j.
abstract class Transpose implements ApplicationKernel {
    private static final int LEAST_ORDER = 840;

    final Comm world;
    final int me, ranks;

    /// The number of rows of each rank.
    final int block;

    /// The number of rows and columns of the whole matrix: [#LEAST_ORDER], rounded up to a multiple of the
    /// number of ranks.
    final int order;

    /// The number of cells of a square.
    final int square;

    /// This rank's rows of B.
    final double[] sum;

    Transpose(Mpi mpi, int divisor) {
        world = mpi.world();
        me = world.rank();
        ranks = world.size();
        block = (LEAST_ORDER / divisor + ranks - 1) / ranks;
        order = block * ranks;
        square = block * block;
        sum = new double[block * order];
    }

    /// Returns the initial value of a cell of this rank's rows of A.
    final double initial(int row, int column) {
        return (double) (me * block + row) * order + column;
    }

    @Override
    public long checksum() {
        long check = 0;
        for (int i = 0; i < sum.length; i++) check += weight(i) * (long) sum[i];
        return check;
    }

    @Override
    public long expected(int iterations) {
        long k = iterations, check = 0;
        for (int r = 0; r < block; r++) {
            for (int j = 0; j < order; j++) {
                long transposed = (long) j * order + (long) me * block + r;
                check += weight(r * order + j) * (k * transposed + k * (k - 1) / 2);
            }
        }
        return check;
    }

    private long weight(int cell) {
        return 2L * (me * block * order + cell) + 1;
    }
}
