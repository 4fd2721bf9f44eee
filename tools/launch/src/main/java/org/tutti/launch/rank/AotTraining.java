package org.tutti.launch.rank;

import org.tutti.launch.program.MainMethod;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// The training run of an AOT cache: performs the first steps of most programs. Every class loaded and linked
/// here is available to every rank.
final class AotTraining {
    private AotTraining() {}

    static final int RANKS = 2;

    /// The delay of rank 0, long enough that rank 1 meanwhile sleeps in a call and must be woken.
    private static final long LONG_ENOUGH_MILLIS = 600;

    /// Referenced by name, because the launcher does not depend on pools.
    private static final String POOL = "org.tutti.futures.PoolRehearsal";

    static void main(String[] args) throws Throwable {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            int me = world.rank(), other = RANKS - 1 - me;
            double[] x = {1, 2, 3};
            Buf in = Buf.buf(new double[x.length]), out = Buf.buf(x);
            world.barrier();
            world.bcast(out, 0);
            world.allreduce(out, in, Op.SUM);
            world.gatherObject(me, 0);
            if (me == 0) {
                world.send(out, other);
                world.recv(in, other);
                world.sendObject("a", other);
                Thread.sleep(LONG_ENOUGH_MILLIS);
            } else {
                world.recv(in, other);
                world.send(out, other);
                world.recvObject(String.class, other);
            }
            world.isend(out, me).await();
            world.recv(in, me);
            try (OwnedComm made = world.dup()) {
                made.barrier();
            }
            if (me == 0)
                MainMethod.named(POOL, ClassLoader.getSystemClassLoader()).call(args);
            IO.println("Hello from rank " + me + " of " + world.size());
        }
    }
}
