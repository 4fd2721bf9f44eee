package programs;

import static org.tutti.mpi.Buf.buf;

import java.net.http.HttpClient;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Request;

/// Ranks that wait for each other forever while other threads exist, or that wait without a blocking call; and
/// correct programs that wait as long. docs/mistakes.md shows the faulty programs.
public final class BackgroundThreads {
    private static final long LONG_MILLIS = 9_000;

    private BackgroundThreads() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            int other = 1 - world.rank();
            switch (args[0]) {
                case "executor" -> executor(world, other);
                case "stream" -> stream(world, other);
                case "virtual" -> virtual(world, other);
                case "idleTimer" -> idleTimer(world, other);
                case "timer" -> timer(world, other);
                case "http" -> http(world, other);
                case "test" -> test(world, other);
                case "probe" -> probe(world, other);
                case "stage" -> stage(world, other);
                case "lateTask" -> lateTask(world, other);
                case "lateTimer" -> lateTimer(world, other);
                case "pingPong" -> pingPong(world, other);
                case "testsAndComputes" -> testsAndComputes(world, other);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static void executor(Comm world, int other) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        int[] sum = {pool.submit(() -> IntStream.range(0, 100).sum()).get()};
        world.recv(buf(sum), other); // executor
        world.send(buf(sum), other);
    }

    private static void stream(Comm world, int other) {
        double[] sum = new double[1];
        sum[0] = IntStream.range(0, 1_000_000).parallel().asDoubleStream().sum();
        world.ssend(buf(sum), other); // stream
        world.recv(buf(sum), other);
    }

    private static void virtual(Comm world, int other) throws Exception {
        Thread.ofVirtual().start(() -> {}).join();
        world.recv(buf(new int[1]), other); // virtual
    }

    private static void idleTimer(Comm world, int other) {
        new Timer().schedule(task(() -> {}), 1);
        world.recv(buf(new int[1]), other); // idleTimer
    }

    private static void timer(Comm world, int other) {
        new Timer("heartbeat", true).schedule(task(() -> {}), 0, 1_000);
        world.recv(buf(new int[1]), other); // timer
    }

    private static void http(Comm world, int other) {
        HttpClient client = HttpClient.newHttpClient();
        world.recv(buf(new int[1]), other); // http
        client.close();
    }

    private static void test(Comm world, int other) {
        Request request = world.irecv(buf(new int[1]), other);
        while (!request.test()) Thread.onSpinWait(); // test
    }

    private static void probe(Comm world, int other) throws Exception {
        while (world.iprobe(other, 3) == null) Thread.sleep(1); // probe
    }

    private static void stage(Comm world, int other) {
        world.irecv(buf(new int[1]), other).toStage().toCompletableFuture().join(); // stage
    }

    private static TimerTask task(Runnable action) {
        return new TimerTask() {
            @Override
            public void run() {
                action.run();
            }
        };
    }

    /// A task of an executor sends the message after a delay.
    private static void lateTask(Comm world, int other) {
        try (var timer = Executors.newScheduledThreadPool(3)) {
            timer.schedule(() -> world.send(buf(new int[1]), other), LONG_MILLIS, TimeUnit.MILLISECONDS);
            world.recv(buf(new int[1]), other);
        }
    }

    private static void lateTimer(Comm world, int other) throws Exception {
        Timer timer = new Timer();
        CountDownLatch isSent = new CountDownLatch(1);
        TimerTask sends = task(() -> {
            world.send(buf(new int[1]), other);
            isSent.countDown();
        });
        timer.schedule(sends, LONG_MILLIS);
        world.recv(buf(new int[1]), other);
        isSent.await();
        timer.cancel();
    }

    /// Two executors continuously pass a task to each other, so that at any moment one of these can appear
    /// idle.
    private static void pingPong(Comm world, int other) throws Exception {
        try (ExecutorService a = Executors.newSingleThreadExecutor();
                ExecutorService b = Executors.newSingleThreadExecutor()) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS);
            CountDownLatch isSent = new CountDownLatch(1);
            Runnable last = () -> {
                world.send(buf(new int[1]), other);
                isSent.countDown();
            };
            a.execute(() -> hand(a, b, end, last));
            world.recv(buf(new int[1]), other);
            isSent.await();
        }
    }

    private static void hand(ExecutorService me, ExecutorService next, long end, Runnable last) {
        if (System.nanoTime() - end > 0) last.run();
        else next.execute(() -> hand(next, me, end, last));
    }

    /// Between two pieces of work, tests whether the other rank requests the end. This is not a wait.
    private static void testsAndComputes(Comm world, int other) {
        Request stop = world.irecv(buf(new int[1]), other);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS);
        double x = 1;
        while (System.nanoTime() - end < 0 && !stop.test()) {
            for (int i = 0; i < 100_000; i++) x = Math.sqrt(x + i);
        }
        if (x < 0) throw new IllegalStateException();
        world.send(buf(new int[1]), other);
        stop.await();
    }
}
