/*
 * One rank distributes the rows of a matrix, one row to each rank.
 *
 * The counterpart of npscatter.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research".
 *
 *     ./tutti run -n 4 examples/ScatterBuffer.java
 *
 *     rank 0 has the matrix [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]
 *     rank 0 has the row [0, 0, 0, 0, 0]
 *     rank 1 has the row [1, 1, 1, 1, 1]
 *     rank 2 has the row [2, 2, 2, 2, 2]
 *     rank 3 has the row [3, 3, 3, 3, 3]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int COLUMNS = 5;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        Buf send = Buf.NONE; // the other ranks send no data
        if (me == 0) {
            int[][] matrix = new int[n][COLUMNS];
            for (int r = 0; r < n; r++) Arrays.fill(matrix[r], r);
            IO.println("rank 0 has the matrix " + Arrays.deepToString(matrix));
            send = buf(matrix); // the rows, one after the other
        }
        int[] row = new int[COLUMNS];
        world.scatter(send, buf(row), 0);
        IO.println("rank " + me + " has the row " + Arrays.toString(row));
    }
}
