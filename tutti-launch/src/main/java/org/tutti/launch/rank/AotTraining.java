package org.tutti.launch.rank;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// What the training run of an AOT cache does: what most programs do first. What is loaded and linked here,
/// every rank finds prepared.
final class AotTraining {
    private AotTraining() {}

    static void main(String[] args) {
        try (Mpi mpi = Mpi.init(args)) {
            Comm world = mpi.world();
            double[] x = {1, 2, 3};
            world.barrier();
            world.bcast(Buf.buf(x), 0);
            world.allreduce(Buf.buf(x), Buf.buf(new double[x.length]), Op.SUM);
            IO.println("Hello from rank " + world.rank() + " of " + world.size());
        }
    }
}
