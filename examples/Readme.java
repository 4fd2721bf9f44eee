/*
 * The program of the README: a sum over all ranks, and an object sent from rank 0 to the last rank.
 *
 *     ./tutti run -n 3 examples/Readme.java
 *
 *     [a, 7, 3.14] and 6.0
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        double[] x = {me, 2 * me}, sum = new double[2];
        world.allreduce(buf(x), buf(sum), Op.SUM); // typed data: arrays, NIO buffers, segments

        if (me == 0) world.sendObject(List.of("a", 7, 3.14), n - 1); // values: no count needed
        if (me == n - 1) IO.println(world.recvObject(List.class) + " and " + sum[1]);
    }
}
