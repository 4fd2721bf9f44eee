// Program of DropInMistakesTest: the mistake that the first argument selects. The line numbers are tested.

import mpi.*;

public class OpenMpiMistake {
    public static void main(String[] args) throws Exception {
        args = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int me = world.getRank();
        switch (args[0]) {
            case "deadlock":
                world.recv(new int[1], 1, MPI.INT, 1 - me, 7); // line 12
                break;
            case "mismatch":
                if (me == 0) world.bcast(new int[1], 1, MPI.INT, 0); // line 15
                else world.barrier(); // line 16
                break;
            case "uncaught":
                if (me == 1) world.send(new int[2], 3, MPI.INT, 0, 0); // line 19
                world.barrier();
                break;
            case "kill":
                System.out.println("ready " + me + " " + ProcessHandle.current().pid());
                world.recv(new int[1], 1, MPI.INT, MPI.ANY_SOURCE, 0); // line 24
                break;
            case "fatal": // the handler is ERRORS_ARE_FATAL
                if (me == 1) world.send(new int[2], 1, MPI.INT, 5, 0); // line 27
                world.barrier();
                break;
            case "returned": // the program does not catch the exception
                world.setErrhandler(MPI.ERRORS_RETURN);
                if (me == 1) world.send(new int[2], 1, MPI.INT, 5, 0); // line 32
                world.barrier();
                break;
            case "caught":
                world.setErrhandler(MPI.ERRORS_RETURN);
                try {
                    world.recv(new int[1], 1, MPI.INT, 1 - me, 7);
                } catch (MPIException e) {
                    System.out.println("continued");
                }
                break;
            case "abort":
                if (me == 1) world.abort(9);
                world.barrier();
                break;
            case "aliased":
                java.nio.IntBuffer both = MPI.newIntBuffer(2);
                world.iScatterv(both, new int[] {1, 1}, new int[] {0, 1}, MPI.INT, both, 1, MPI.INT, 0); // line 49
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        MPI.Finalize();
    }
}
