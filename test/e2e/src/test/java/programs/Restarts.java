package programs;

import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Rank 1 fails in the form that the first argument selects. The second argument is the number of attempts in
/// which it fails.
public final class Restarts {
    private Restarts() {}

    public static void main(String[] args) throws Exception {
        int restart = Integer.parseInt(System.getenv("TUTTI_RESTART"));
        try (Mpi mpi = Mpi.init()) {
            int rank = mpi.world().rank();
            System.out.println(
                    "try " + restart + ": rank " + rank + ", sum " + mpi.world().allreduce(rank, Op.SUM));
            System.out.flush();
            mpi.world().barrier();
            if (rank == 1 && restart < Integer.parseInt(args[1])) fail(args[0], restart);
            mpi.world().barrier();
        }
    }

    private static void fail(String how, int restart) throws Exception {
        switch (how) {
            case "exception" -> throw new IllegalStateException("try " + restart + " has failed");
            case "killed" -> {
                new ProcessBuilder(
                                "kill",
                                "-KILL",
                                Long.toString(ProcessHandle.current().pid()))
                        .start();
                Thread.sleep(Long.MAX_VALUE);
            }
            case "sleep" -> {
                System.out.println("sleeps");
                Thread.sleep(Long.MAX_VALUE);
            }
            case "slowly" -> {
                Thread.sleep(4_000);
                throw new IllegalStateException("try " + restart + " has failed");
            }
            case "halt" -> Runtime.getRuntime().halt(1);
            default -> System.exit(Integer.parseInt(how) + restart);
        }
    }
}
