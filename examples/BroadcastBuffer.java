/*
 * One rank sends an array of numbers to all other ranks, without converting it to objects.
 *
 * The counterpart of npbcast.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research". Every
 * rank needs an array of the right length before the call: typed data has no header with the length.
 *
 *     ./tutti run -n 3 examples/BroadcastBuffer.java
 *
 *     before broadcasting, data on rank 0 is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
 *     before broadcasting, data on rank 1 is [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
 *     before broadcasting, data on rank 2 is [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
 *     after broadcasting, data on rank 0 is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
 *     after broadcasting, data on rank 1 is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
 *     after broadcasting, data on rank 2 is [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        int[] data = new int[10];
        if (me == 0) Arrays.setAll(data, i -> i);
        IO.println("before broadcasting, data on rank " + me + " is " + Arrays.toString(data));

        world.bcast(buf(data), 0);

        IO.println("after broadcasting, data on rank " + me + " is " + Arrays.toString(data));
    }
}
