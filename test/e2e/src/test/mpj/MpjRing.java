// examples/Ring.java for the API of MPJ Express.

import mpi.*;

public class MpjRing {
    public static void main(String[] args) throws MPIException {
        args = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int me = world.Rank(), n = world.Size(), right = (me + 1) % n, left = (me + n - 1) % n;
        int laps = args.length > 0 ? Integer.parseInt(args[0]) : 1;

        int[] token = {0};
        for (int lap = 0; lap < laps; lap++) {
            if (me == 0) {
                world.Send(token, 0, 1, MPI.INT, right, lap);
                world.Recv(token, 0, 1, MPI.INT, left, lap);
            } else {
                Status s = world.Recv(token, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
                token[0] += me;
                world.Send(token, 0, 1, MPI.INT, right, s.tag);
            }
        }
        if (me == 0) System.out.println("the token returned as " + token[0]);

        int[] mine = {me}, incoming = new int[1];
        int sum = me;
        for (int step = 1; step < n; step++) {
            Request[] r = {
                world.Irecv(incoming, 0, 1, MPI.INT, left, step), world.Isend(mine, 0, 1, MPI.INT, right, step)
            };
            Request.Waitall(r);
            mine[0] = incoming[0];
            sum += mine[0];
        }
        System.out.println("rank " + me + ": the sum of all ranks is " + sum);
        MPI.Finalize();
    }
}
