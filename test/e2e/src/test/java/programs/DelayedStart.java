package programs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.mpi.Mpi;

/// Rank `RANK` starts only when a file exists: `DelayedStart RANK FILE`.
public final class DelayedStart {
    private DelayedStart() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals(System.getenv("TUTTI_RANK"))) while (!Files.exists(Path.of(args[1]))) Thread.sleep(20);
        try (Mpi mpi = Mpi.init()) {
            mpi.world().barrier();
            System.out.println("rank " + mpi.world().rank() + " is ready");
        }
    }
}
