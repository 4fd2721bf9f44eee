package programs;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Reactions to a request to end: the ranks agree on the last step (`stops`), continue (`stays`), have a
/// shutdown hook that takes long (`hook`), or do not react (`none`).
public final class Terminates {
    private Terminates() {}

    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "stops" -> Mpi.onTermination(() -> stop = true);
            case "stays" -> Mpi.onTermination(() -> System.out.println("requested"));
            case "hook" -> Runtime.getRuntime().addShutdownHook(new Thread(Terminates::save));
            case "none" -> {}
            default -> throw new IllegalArgumentException(args[0]);
        }
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            world.barrier();
            Ready.print(world.rank());
            while (world.allreduce(stop ? 1 : 0, Op.SUM) == 0) Thread.sleep(10);
            Thread.sleep(1500); // like a checkpoint, and longer than the time limit of ranks after a failure
            System.out.println("saved");
        }
    }

    private static void save() {
        try {
            Thread.sleep(2500);
        } catch (InterruptedException e) {
            return;
        }
        System.out.println("saved");
    }
}
