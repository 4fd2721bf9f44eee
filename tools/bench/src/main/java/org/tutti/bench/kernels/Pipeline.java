package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// A wavefront: each cell depends on the cell above, the cell on the left, and the cell above on the left. The
/// columns are distributed over the ranks. For each row, a rank receives the last cell of the left neighbor,
/// computes the local part of the row and sends the last cell to the right: one message of 8 B per row. The last
/// cell of the last rank starts the next iteration.
///
/// Cell (0, 0) is -s, the other cells of the first row are 3j, and the cells of the first column 5i. All other
/// cells (i, j) are 3j + 5i + s. The last cell is the s of the next iteration.
final class Pipeline implements ApplicationKernel {
    private static final int ROWS = 499, COLUMNS = 200, ACROSS = 3, DOWN = 5;
    private static final int CELL = 1, CORNER = 2; // tags

    private final Comm world;
    private final int me, ranks;
    private final int rows, allColumns, first, columns;

    /// The cells, row by row. Index 0 of a row is a copy of the left neighbor's last cell.
    private final double[] grid;

    private final int width;

    Pipeline(Mpi mpi, int divisor) {
        rows = ROWS / divisor;
        allColumns = COLUMNS / divisor;
        world = mpi.world();
        me = world.rank();
        ranks = world.size();
        first = firstColumn(me);
        columns = firstColumn(me + 1) - first;
        width = columns + 1;
        grid = new double[rows * width];
        for (int j = 1; j <= columns; j++) grid[j] = ACROSS * (first + j - 1);
        if (me == 0) for (int i = 0; i < rows; i++) grid[i * width + 1] = DOWN * i;
    }

    /// Returns the first column of a rank. It is rounded up, so that rank 0 has at least one column. A rank
    /// without columns only forwards cells.
    private int firstColumn(int rank) {
        return (allColumns * rank + ranks - 1) / ranks;
    }

    @Override
    public void run(int iterations) {
        double[] corner = new double[1];
        for (int k = 0; k < iterations; k++) {
            for (int row = 0; row < rows; row++) {
                if (me > 0) world.recv(buf(grid, row * width, 1), me - 1, CELL);
                if (row > 0) computeRow(grid, row * width, width, me == 0 ? 2 : 1);
                if (me < ranks - 1) world.send(buf(grid, row * width + columns, 1), me + 1, CELL);
            }
            corner[0] = grid[rows * width - 1];
            if (ranks > 1 && me == ranks - 1) world.send(buf(corner), 0, CORNER);
            if (ranks > 1 && me == 0) world.recv(buf(corner), ranks - 1, CORNER);
            if (me == 0) grid[1] = -corner[0];
        }
    }

    private static void computeRow(double[] grid, int row, int width, int from) {
        for (int i = row + from; i < row + width; i++) {
            grid[i] = grid[i - 1] + grid[i - width] - grid[i - width - 1];
        }
    }

    @Override
    public long checksum() {
        long sum = 0;
        for (int i = 0; i < rows; i++) {
            for (int j = 1; j <= columns; j++) sum += weight(i, first + j - 1) * (long) grid[i * width + j];
        }
        return sum;
    }

    @Override
    public long expected(int iterations) {
        long start = lastCell() * (iterations - 1), sum = 0;
        for (int i = 0; i < rows; i++) {
            for (int j = first; j < first + columns; j++) {
                long edge = (long) ACROSS * j + (long) DOWN * i;
                sum += weight(i, j) * (i == 0 || j == 0 ? edge : edge + start);
            }
        }
        return me == 0 ? sum - weight(0, 0) * lastCell() * iterations : sum;
    }

    /// Returns the last cell after one iteration.
    private long lastCell() {
        return (long) ACROSS * (allColumns - 1) + (long) DOWN * (rows - 1);
    }

    private long weight(int i, int j) {
        return 2L * (i * allColumns + j) + 1;
    }
}
