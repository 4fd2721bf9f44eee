package programs;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// All ranks wait for the last rank, which does something else until the job is ended.
public final class Doings {
    private static final long LONG_MILLIS = 600_000;

    private Doings() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("beforeInit")) beforeInit();
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            // created before the wait begins, because it takes seconds on a busy machine
            Object[][] kept = args[0].equals("collect") ? objects() : new Object[0][];
            world.barrier();
            Ready.print(world.rank());
            if (world.rank() == world.size() - 1) something(args, kept);
            else world.recv(buf(new int[1]), world.size() - 1, 7);
        }
    }

    /// Rank 1 is delayed before `Mpi.init`.
    private static void beforeInit() throws InterruptedException {
        String rank = System.getenv("TUTTI_RANK");
        if ("1".equals(rank)) Thread.sleep(LONG_MILLIS);
    }

    private static void something(String[] args, Object[][] kept) throws Exception {
        switch (args[0]) {
            case "sleep" -> Thread.sleep(LONG_MILLIS);
            case "read" -> read(Path.of(args[1]));
            case "loop" -> loop();
            case "collect" -> {
                while (kept.length > 0) System.gc();
            }
            case "lock" -> lock();
            case "monitor" -> monitor();
            case "latch" -> new CountDownLatch(1).await();
            case "virtual" -> virtual();
            case "process" -> new ProcessBuilder("sleep", "600").start().waitFor();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /// Reads from a pipe that has no writer.
    private static void read(Path pipe) throws IOException {
        Files.readAllBytes(pipe);
    }

    private static void loop() {
        long x = 1;
        while (x != 0) x = x * 6364136223846793005L | 1;
    }

    /// Returns enough live objects to make a garbage collection slow.
    private static Object[][] objects() {
        Object[][] kept = new Object[100][];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Object[20_000];
            for (int j = 0; j < kept[i].length; j++) kept[i][j] = new int[1];
        }
        return kept;
    }

    private static void lock() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Thread holder = new Thread(
                () -> {
                    lock.lock();
                    sleepLong();
                },
                "holder");
        holder.start();
        while (!lock.isLocked()) Thread.sleep(1);
        lock.lock();
    }

    private static void monitor() throws InterruptedException {
        Object monitor = new Object();
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = new Thread(
                () -> {
                    synchronized (monitor) {
                        held.countDown();
                        sleepLong();
                    }
                },
                "holder");
        holder.start();
        held.await();
        synchronized (monitor) {
            sleepLong();
        }
    }

    private static void virtual() throws InterruptedException {
        Thread thread = Thread.ofVirtual().name("delayed").start(Doings::sleepLong);
        thread.join();
    }

    private static void sleepLong() {
        try {
            Thread.sleep(LONG_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
