/*
 * Rank 0 sends a number to a single other rank; the remaining ranks do not take part.
 *
 * The counterpart of send_receive.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research".
 *
 *     ./tutti run -n 4 examples/SendReceive.java
 *
 *     After send/receive, the value in rank 0 is null
 *     After send/receive, the value in rank 1 is 42
 *     After send/receive, the value in rank 2 is null
 *     After send/receive, the value in rank 3 is null
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        Integer data = null; // no rank has a value yet
        if (me == 0) world.sendObject(42, 1);
        if (me == 1) data = world.recvObject(Integer.class, 0);

        IO.println("After send/receive, the value in rank " + me + " is " + data);
    }
}
