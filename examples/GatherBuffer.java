/*
 * One rank collects a row from each rank into a matrix.
 *
 * The counterpart of npgather.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research".
 *
 *     ./tutti run -n 4 examples/GatherBuffer.java
 *
 *     rank 0 has the row [0, 0, 0, 0, 0]
 *     rank 1 has the row [1, 1, 1, 1, 1]
 *     rank 2 has the row [2, 2, 2, 2, 2]
 *     rank 3 has the row [3, 3, 3, 3, 3]
 *     rank 0 has the matrix [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int COLUMNS = 5;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] row = new int[COLUMNS];
        Arrays.fill(row, me);
        IO.println("rank " + me + " has the row " + Arrays.toString(row));

        int[][] matrix = me == 0 ? new int[n][COLUMNS] : null; // only rank 0 needs the memory
        world.gather(buf(row), me == 0 ? buf(matrix) : Buf.NONE, 0);

        if (me == 0) IO.println("rank 0 has the matrix " + Arrays.deepToString(matrix));
    }
}
