/*
 * Rank 0 sends the same message to every other rank, one after the other.
 *
 * The counterpart of point_point2.py in "Programming Machine Learning Algorithms for HPC: MPI4py"; it also runs on
 * 128 ranks. Broadcast.java does the same in one call, and faster.
 *
 *     ./tutti run -n 4 examples/PointToPointMany.java
 *
 *     rank 0 sends data
 *     rank 1 receives a=7 and b=3.14
 *     rank 2 receives a=7 and b=3.14
 *     rank 3 receives a=7 and b=3.14
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        if (me == 0) {
            Map<String, Number> data = Map.of("a", 7, "b", 3.14);
            for (int dest = 1; dest < world.size(); dest++) world.sendObject(data, dest, 11);
            IO.println("rank 0 sends data");
        } else {
            Map<?, ?> data = world.recvObject(Map.class, 0, 11);
            IO.println("rank " + me + " receives a=" + data.get("a") + " and b=" + data.get("b"));
        }
    }
}
