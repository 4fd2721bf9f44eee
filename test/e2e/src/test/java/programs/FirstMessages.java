package programs;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// The first calls of a program on two ranks: messages, a barrier, a broadcast and a sum. The program does not
/// concatenate strings.
public final class FirstMessages {
    private FirstMessages() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            int other = 1 - world.rank();
            Buf out = Buf.buf(new double[] {1, 2, 3}), in = Buf.buf(new double[3]);
            world.barrier();
            if (world.rank() == 0) {
                world.send(out, other);
                world.recv(in, other);
            } else {
                world.recv(in, other);
                world.send(out, other);
            }
            Request receive = world.irecv(in, other);
            world.isend(out, other).await();
            receive.await();
            world.bcast(out, 0);
            world.allreduce(out, in, Op.SUM);
        }
    }
}
