/*
 * Each rank computes a row of the multiplication table, and every rank gets the whole table.
 *
 * The counterpart of allgather_buffer.py in "Towards Python MPI for Artificial Intelligence and Deep Learning
 * Research".
 *
 *     ./tutti run -n 4 examples/AllgatherBuffer.java
 *
 *     rank 0: [0, 0, 0, 0] became [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9]]
 *     rank 1: [0, 1, 2, 3] became [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9]]
 *     rank 2: [0, 2, 4, 6] became [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9]]
 *     rank 3: [0, 3, 6, 9] became [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9]]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] row = new int[n];
        for (int i = 0; i < n; i++) row[i] = i * me;

        int[][] table = new int[n][n];
        world.allgather(buf(row), buf(table));

        IO.println("rank " + me + ": " + Arrays.toString(row) + " became " + Arrays.deepToString(table));
    }
}
