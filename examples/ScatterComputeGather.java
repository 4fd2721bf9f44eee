/*
 * Distributes data, computes on each part, and collects the results: three calls and a loop.
 *
 * The counterpart of scatter-compute-gather ("Pattern 3"), of parallel reduction ("Pattern 2") and of the distributed
 * array operations in "MPI + GPU", on CPUs.
 *
 *     ./tutti run -n 4 examples/ScatterComputeGather.java
 *
 *     rank 0 computed 1000 square roots
 *     rank 1 computed 1000 square roots
 *     rank 2 computed 1000 square roots
 *     rank 3 computed 1000 square roots
 *     rank 0 has 4000 roots, from 0.0 to 3999.0; the sum of their squares is 21325334000
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int PART = 1000; // numbers per rank

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        double[] data = new double[me == 0 ? n * PART : 0], part = new double[PART];
        for (int i = 0; i < data.length; i++) data[i] = (double) i * i;

        world.scatter(buf(data), buf(part), 0); // the send argument of other ranks is not used
        double squares = 0;
        for (int i = 0; i < PART; i++) {
            squares += part[i];
            part[i] = Math.sqrt(part[i]);
        }
        IO.println("rank " + me + " computed " + PART + " square roots");
        world.gather(buf(part), buf(data), 0); // into the same array, at rank 0

        // A sum needs no gather: it is computed during communication, and every rank gets it.
        squares = world.allreduce(squares, Op.SUM);
        if (me == 0) {
            IO.println("rank 0 has " + data.length + " roots, from " + data[0] + " to " + data[data.length - 1]
                    + "; the sum of their squares is " + (long) squares);
        }
    }
}
