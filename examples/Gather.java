/*
 * One rank collects an object from each rank, in rank order.
 *
 * The counterpart of gather.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research", and of
 * collective_comm3.py in "Programming Machine Learning Algorithms for HPC: MPI4py".
 *
 *     ./tutti run -n 4 examples/Gather.java
 *
 *     before gathering, data on rank 0 is 1
 *     before gathering, data on rank 1 is 4
 *     before gathering, data on rank 2 is 9
 *     before gathering, data on rank 3 is 16
 *     after gathering, data on rank 0 is [1, 4, 9, 16]
 *     after gathering, data on rank 1 is null
 *     after gathering, data on rank 2 is null
 *     after gathering, data on rank 3 is null
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        int mine = (me + 1) * (me + 1);
        IO.println("before gathering, data on rank " + me + " is " + mine);

        List<Integer> all = world.gatherObject(mine, 0); // null on all ranks but rank 0

        IO.println("after gathering, data on rank " + me + " is " + all);
        if (me == 0) {
            for (int i = 0; i < world.size(); i++) {
                if (all.get(i) != (i + 1) * (i + 1)) throw new AssertionError("rank " + i + " sent " + all.get(i));
            }
        }
    }
}
