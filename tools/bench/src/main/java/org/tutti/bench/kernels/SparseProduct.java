package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// The sum, over all iterations, of the products of a sparse matrix and a vector. In each iteration, the ranks
/// gather the vector and multiply the local rows by the vector; then each rank adds 1 to the local elements of
/// the vector. Rows are compressed (CSR).
final class SparseProduct implements ApplicationKernel {
    private static final int LEAST_ORDER = 16_384, FEWEST = 8, MOST = 24, VALUES = 8, VECTOR_MASK = 1023;

    private final Comm world;
    private final int me, block, order;

    /// Row r has the entries from `start[r]` to `start[r + 1]` of `column` and `value`.
    private final int[] start, column;

    private final double[] value;
    private final double[] part, vector, product;

    SparseProduct(Mpi mpi, int divisor) {
        world = mpi.world();
        me = world.rank();
        block = (LEAST_ORDER / divisor + world.size() - 1) / world.size();
        order = block * world.size();
        start = new int[block + 1];
        for (int r = 0; r < block; r++) start[r + 1] = start[r] + entries(me * block + r);
        column = new int[start[block]];
        value = new double[start[block]];
        for (int r = 0; r < block; r++) {
            for (int e = start[r]; e < start[r + 1]; e++) {
                long random = Hash64.at((long) (me * block + r) * (MOST + 1) + e - start[r] + 1);
                column[e] = (int) ((random >>> 32) * order >>> 32);
                value[e] = 1 + (random & VALUES - 1);
            }
        }
        part = new double[block];
        vector = new double[order];
        product = new double[block];
        for (int i = 0; i < block; i++) part[i] = initial(me * block + i);
    }

    private static int entries(int row) {
        return FEWEST + (int) ((Hash64.at((long) row * (MOST + 1)) >>> 32) * (MOST - FEWEST + 1) >>> 32);
    }

    private static long initial(int element) {
        return element & VECTOR_MASK;
    }

    @Override
    public void run(int iterations) {
        for (int k = 0; k < iterations; k++) {
            world.allgather(buf(part), buf(vector));
            multiply(start, column, value, vector, product);
            for (int i = 0; i < block; i++) part[i]++;
        }
    }

    private static void multiply(int[] start, int[] column, double[] value, double[] vector, double[] product) {
        for (int r = 0; r < product.length; r++) {
            double sum = 0;
            for (int e = start[r]; e < start[r + 1]; e++) sum += value[e] * vector[column[e]];
            product[r] += sum;
        }
    }

    @Override
    public long checksum() {
        long sum = 0;
        for (int r = 0; r < block; r++) sum += weight(r) * (long) product[r];
        return sum;
    }

    @Override
    public long expected(int iterations) {
        long k = iterations, sum = 0;
        for (int r = 0; r < block; r++) {
            for (int e = start[r]; e < start[r + 1]; e++) {
                sum += weight(r) * (long) value[e] * (k * initial(column[e]) + k * (k - 1) / 2);
            }
        }
        return sum;
    }

    private long weight(int row) {
        return 2L * (me * block + row) + 1;
    }
}
