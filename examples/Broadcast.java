/*
 * One rank sends an object to all other ranks.
 *
 * The counterpart of collective_comm1.py in "Programming Machine Learning Algorithms for HPC: MPI4py", including the
 * complex number, and of broadcast.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research".
 *
 *     ./tutti run -n 3 examples/Broadcast.java
 *
 *     before broadcast, data on rank 0 is {key1=[7, 2.72, 2.0+3.0i], key2=[abc, xyz]}
 *     before broadcast, data on rank 1 is null
 *     before broadcast, data on rank 2 is null
 *     after broadcast, data on rank 0 is {key1=[7, 2.72, 2.0+3.0i], key2=[abc, xyz]}
 *     after broadcast, data on rank 1 is {key1=[7, 2.72, 2.0+3.0i], key2=[abc, xyz]}
 *     after broadcast, data on rank 2 is {key1=[7, 2.72, 2.0+3.0i], key2=[abc, xyz]}
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        Map<String, List<?>> data = null;
        if (me == 0) {
            data = new TreeMap<>(); // sorted keys, so that all ranks print the same
            data.put("key1", List.of(7, 2.72, new Complex(2, 3)));
            data.put("key2", List.of("abc", "xyz"));
        }
        IO.println("before broadcast, data on rank " + me + " is " + data);

        data = world.bcastObject(data, 0); // called by every rank, which gets the object of rank 0

        IO.println("after broadcast, data on rank " + me + " is " + data);
    }
}
