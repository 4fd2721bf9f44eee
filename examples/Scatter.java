/*
 * One rank distributes a list, one element to each rank.
 *
 * The counterpart of scatter.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research", and
 * of collective_comm2.py in "Programming Machine Learning Algorithms for HPC: MPI4py".
 *
 *     ./tutti run -n 4 examples/Scatter.java
 *
 *     before scattering, data on rank 0 is [1, 4, 9, 16]
 *     before scattering, data on rank 1 is null
 *     before scattering, data on rank 2 is null
 *     before scattering, data on rank 3 is null
 *     after scattering, data on rank 0 is 1
 *     after scattering, data on rank 1 is 4
 *     after scattering, data on rank 2 is 9
 *     after scattering, data on rank 3 is 16
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        List<Integer> data = null; // only rank 0 has data to distribute
        if (me == 0) {
            data = new ArrayList<>();
            for (int i = 0; i < world.size(); i++) data.add((i + 1) * (i + 1));
        }
        IO.println("before scattering, data on rank " + me + " is " + data);

        Integer mine = world.scatterObject(data, 0);

        IO.println("after scattering, data on rank " + me + " is " + mine);
    }
}
