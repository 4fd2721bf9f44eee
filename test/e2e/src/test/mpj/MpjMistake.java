// Program of DropInMistakesTest: the mistake that the first argument selects. The line numbers are tested.

import mpi.*;

public class MpjMistake {
    public static void main(String[] args) throws Exception {
        args = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int me = world.Rank();
        switch (args[0]) {
            case "deadlock":
                world.Recv(new int[1], 0, 1, MPI.INT, 1 - me, 7); // line 12
                break;
            case "mismatch":
                if (me == 0) world.Bcast(new int[1], 0, 1, MPI.INT, 0); // line 15
                else world.Barrier(); // line 16
                break;
            case "uncaught":
                if (me == 1) world.Send(new int[2], 1, 2, MPI.INT, 0, 0); // line 19
                world.Barrier();
                break;
            case "kill":
                System.out.println("ready " + me + " " + ProcessHandle.current().pid());
                world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 0); // line 24
                break;
            case "caught":
                try {
                    world.Recv(new int[1], 0, 1, MPI.INT, 1 - me, 7);
                } catch (MPIException e) {
                    System.out.println("continued");
                }
                break;
            case "abort":
                if (me == 1) world.Abort(9);
                world.Barrier();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        MPI.Finalize();
    }
}
