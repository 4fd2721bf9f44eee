// examples/Ring.java for Open MPI's Java bindings: nonblocking calls require direct buffers.

import java.nio.IntBuffer;
import mpi.*;

public class OpenMpiRing {
    public static void main(String[] args) throws MPIException {
        args = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int me = world.getRank(), n = world.getSize(), right = (me + 1) % n, left = (me + n - 1) % n;
        int laps = args.length > 0 ? Integer.parseInt(args[0]) : 1;

        int[] token = {0};
        for (int lap = 0; lap < laps; lap++) {
            if (me == 0) {
                world.send(token, 1, MPI.INT, right, lap);
                world.recv(token, 1, MPI.INT, left, lap);
            } else {
                Status s = world.recv(token, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
                token[0] += me;
                world.send(token, 1, MPI.INT, right, s.getTag());
            }
        }
        if (me == 0) System.out.println("the token returned as " + token[0]);

        IntBuffer mine = MPI.newIntBuffer(1).put(0, me), incoming = MPI.newIntBuffer(1);
        int sum = me;
        for (int step = 1; step < n; step++) {
            Request[] r = {
                world.iRecv(incoming, 1, MPI.INT, left, step), world.iSend(mine, 1, MPI.INT, right, step)
            };
            Request.waitAll(r);
            mine.put(0, incoming.get(0));
            sum += mine.get(0);
        }
        System.out.println("rank " + me + ": the sum of all ranks is " + sum);
        MPI.Finalize();
    }
}
