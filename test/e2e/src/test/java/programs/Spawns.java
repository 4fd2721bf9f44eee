package programs;

import static java.util.Objects.requireNonNull;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// A program that spawns ranks, in the form that the first argument selects.
public final class Spawns {
    private Spawns() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "well" -> {
                Tutti.spawn(3, Spawns::rank, "a b", "");
                Tutti.spawn(2, Worker.class, "main");
                System.out.println("all have ended");
            }
            case "badly" -> {
                try {
                    Tutti.spawn(3, Spawns::fail, args[1]);
                } catch (MpiException e) {
                    System.out.println(e.errorClass() + " " + e.getMessage());
                }
            }
            case "interrupted" -> interrupted();
            case "itself" -> Tutti.spawn(1, Spawns.class, "itself");
            case "waits" -> Tutti.spawn(2, Waits.class, "sleep");
            case "asARank" -> {
                try (Mpi mpi = Mpi.init()) {
                    mpi.world().barrier();
                    if (mpi.world().rank() == 1) Tutti.spawn(2, Spawns::rank);
                    mpi.world().barrier();
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static void rank(String... args) {
        try (Mpi mpi = Mpi.init()) {
            int rank = mpi.world().rank();
            System.out.println("spawned rank " + rank + " of " + mpi.world().size() + ": " + List.of(args) + ", sum "
                    + mpi.world().allreduce(rank, Op.SUM) + ", a.b=" + System.getProperty("a.b"));
        }
    }

    private static void fail(String[] args) throws InterruptedException {
        try (Mpi mpi = Mpi.init()) {
            if (mpi.world().rank() == 1 && args[0].equals("exit")) System.exit(7);
            if (mpi.world().rank() == 1) throw new IllegalStateException("rank 1 throws on purpose");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /// Interrupts the spawning thread after all ranks have started, because a JVM interrupted during the start
    /// prints other messages.
    private static void interrupted() throws Exception {
        Path started = Files.createTempDirectory("tutti-started");
        Thread main = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            while (count(started) < 2) LockSupport.parkNanos(1_000_000);
            main.interrupt();
        });
        try {
            Tutti.spawn(2, Spawns::sleep, started.toString());
        } catch (MpiException e) {
            System.out.println(e.getMessage() + ", interrupt flag: " + Thread.interrupted());
        }
        for (int rank = 0; rank < 2; rank++) Files.delete(started.resolve("" + rank));
        Files.delete(started);
        // spawns from a virtual thread: the processes must not depend on the carrier thread
        Thread.ofVirtual().start(() -> Tutti.spawn(2, Spawns::rank)).join();
    }

    private static long count(Path directory) {
        return requireNonNull(directory.toFile().list()).length;
    }

    private static void sleep(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Files.createFile(Path.of(args[0], "" + mpi.world().rank()));
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /// A class with a separate main method.
    static final class Worker {
        private Worker() {}

        static void main(String[] args) {
            rank(args);
        }
    }
}
