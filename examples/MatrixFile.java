/*
 * Saves a matrix, distributed in blocks over a grid of ranks, as one file in row order; half of the ranks then read
 * it by rows. Readers and writers may differ in number and in distribution.
 *
 *     ./tutti run -n 4 examples/MatrixFile.java
 *
 *     4 ranks of a 2 x 2 grid wrote 36 x 24 numbers, 6912 bytes
 *     2 ranks read 18 rows each: all numbers are right
 */

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import org.tutti.mpi.*;
import org.tutti.mpi.MpiFile.Mode;

static final int ROWS = 36, COLUMNS = 24;

static double number(int row, int column) {
    return row * 1000 + column;
}

void main() throws Exception {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();
        String path = world.bcastObject(me == 0 ? Files.createTempFile("matrix", ".dat").toString() : "", 0);

        int[] grid = Cartesian.balancedDims(n, 0, 0);
        try (Cartesian cells = world.cartesian(grid, new boolean[2]);
                MpiFile file = MpiFile.open(cells, path, Mode.CREATE, Mode.WRONLY)) {
            int[] at = cells.coords();
            int[] starts = {at[0] * ROWS / grid[0], at[1] * COLUMNS / grid[1]};
            int[] ends = {(at[0] + 1) * ROWS / grid[0], (at[1] + 1) * COLUMNS / grid[1]};
            int[] sizes = {ends[0] - starts[0], ends[1] - starts[1]};
            double[] block = new double[sizes[0] * sizes[1]];
            for (int i = 0; i < block.length; i++) {
                block[i] = number(starts[0] + i / sizes[1], starts[1] + i % sizes[1]);
            }
            file.setView(0, Datatype.DOUBLE, Datatype.DOUBLE.subarray(new int[] {ROWS, COLUMNS}, sizes, starts));
            file.writeAll(buf(block));
            file.sync();
            if (me == 0) {
                IO.println(n + " ranks of a " + grid[0] + " x " + grid[1] + " grid wrote " + ROWS + " x " + COLUMNS
                        + " numbers, " + file.size() + " bytes");
            }
        }

        int readers = Math.max(1, n / 2);
        boolean reads = me < readers;
        try (OwnedComm some = world.split(reads ? 0 : Comm.UNDEFINED)) {
            if (!reads) return;
            try (MpiFile file = MpiFile.open(some, path, Mode.RDONLY, Mode.DELETE_ON_CLOSE)) {
                int first = me * ROWS / readers, rows = (me + 1) * ROWS / readers - first;
                double[] part = new double[rows * COLUMNS];
                file.readAtAll((long) first * COLUMNS * Double.BYTES, buf(part));
                boolean right = true;
                for (int i = 0; i < part.length; i++) {
                    right &= part[i] == number(first + i / COLUMNS, i % COLUMNS);
                }
                boolean all = some.allreduce(right, Op.LAND);
                if (me == 0) {
                    IO.println(readers + " ranks read " + rows + " rows each: "
                            + (all ? "all numbers are right" : "some number is wrong"));
                }
            }
        }
    }
}
