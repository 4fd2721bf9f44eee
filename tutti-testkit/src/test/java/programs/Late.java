package programs;

import org.tutti.mpi.Mpi;

/// One rank comes some seconds after the others: `Late RANK SECONDS`.
public final class Late {
    private Late() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals(System.getenv("TUTTI_RANK"))) Thread.sleep(1000L * Integer.parseInt(args[1]));
        try (Mpi mpi = Mpi.init(args)) {
            mpi.world().barrier();
            System.out.println("rank " + mpi.world().rank() + " is there");
        }
    }
}
