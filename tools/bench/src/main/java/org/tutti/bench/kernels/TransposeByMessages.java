package org.tutti.bench.kernels;

import org.tutti.mpi.Mpi;

/// Transposes by copying squares: a rank transposes each square before sending it.
abstract class TransposeByMessages extends Transpose {
    /// This rank's rows of A.
    private final double[] rows;

    TransposeByMessages(Mpi mpi, int divisor) {
        super(mpi, divisor);
        rows = new double[block * order];
        for (int r = 0; r < block; r++) for (int j = 0; j < order; j++) rows[r * order + j] = initial(r, j);
    }

    @Override
    public final void run(int iterations) {
        for (int k = 0; k < iterations; k++) {
            addTranspose();
            increment(rows);
        }
    }

    /// Adds the transpose of A to B. Collective.
    abstract void addTranspose();

    /// Copies the square for a rank, transposed, to `target`.
    final void turn(int rank, double[] target, int at) {
        turn(rows, rank * block, order, block, target, at);
    }

    private static void turn(double[] rows, int from, int order, int block, double[] target, int at) {
        for (int c = 0; c < block; c++) {
            for (int r = 0; r < block; r++) target[at + c * block + r] = rows[from + r * order + c];
        }
    }

    /// Adds the square from `rank`, which has already transposed it.
    final void add(double[] source, int at, int rank) {
        for (int r = 0; r < block; r++) addRow(source, at + r * block, sum, r * order + rank * block, block);
    }

    private static void addRow(double[] source, int at, double[] sum, int to, int count) {
        for (int i = 0; i < count; i++) sum[to + i] += source[at + i];
    }

    private static void increment(double[] rows) {
        for (int i = 0; i < rows.length; i++) rows[i]++;
    }
}
