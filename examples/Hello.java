/*
 * Every process prints a line with the rank.
 *
 * The counterpart of "mpiexec -n 4 python -m mpi4py.bench helloworld" in "Towards Python MPI for Artificial
 * Intelligence and Deep Learning Research", and of the first programs of "MPI + GPU".
 *
 *     ./tutti run -n 4 examples/Hello.java
 *
 *     Hello, World! I am process 0 of 4 on ….
 *     Hello, World! I am process 1 of 4 on ….
 *     Hello, World! I am process 2 of 4 on ….
 *     Hello, World! I am process 3 of 4 on ….
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();
        IO.println("Hello, World! I am process " + me + " of " + n + " on " + mpi.processorName() + ".");
    }
}
