package programs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tutti.futures.BrokenPoolException;
import org.tutti.futures.CurrentTask;
import org.tutti.futures.RankCallable;
import org.tutti.futures.RankCompletionService;
import org.tutti.futures.RankFuture;
import org.tutti.futures.RankPool;
import org.tutti.futures.Results;
import org.tutti.futures.SharedValue;
import org.tutti.futures.TaskFailedException;
import org.tutti.futures.TaskRefusedException;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Programs with pools. The first argument selects the program.
public final class Pools {
    record Shots(int n) implements RankCallable<Long> {
        @Override
        public Long call() {
            var random = CurrentTask.random();
            return IntStream.range(0, n)
                    .filter(_ -> Math.hypot(random.nextDouble(), random.nextDouble()) < 1)
                    .count();
        }
    }

    record Even(int n) {
        Even {
            if (n % 2 != 0 && isWorker) throw new IllegalArgumentException(n + " is odd");
        }
    }

    /// Whether this process is a worker.
    private static boolean isWorker = true;

    private Pools() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "facts" -> {
                try (Mpi mpi = Mpi.init()) {
                    Comm world = mpi.world();
                    int root = world.size() - 1;
                    isWorker = world.rank() != root;
                    for (int round = 0; round < 2; round++) {
                        String output = RankPool.call(world, root, Pools::facts);
                        if (output != null) System.out.println(output);
                    }
                    if (world.allreduce(1, Op.SUM) == world.size()) System.out.println("and on");
                }
            }
            case "idle" -> {
                RankPool.run(pool -> {
                    long millis = Long.parseLong(args[1]);
                    Thread.sleep(millis);
                    pool.submit(
                                    x -> {
                                        Thread.sleep(x);
                                        return x;
                                    },
                                    millis)
                            .get();
                    System.out.println("done");
                });
            }
            case "main" -> {
                System.out.println("main of rank 0");
                if (args.length > 1) return;
                RankPool.run(pool -> {
                    System.out.println(pool.map(x -> x * x, IntStream.range(0, 100))
                            .toList()
                            .hashCode());
                    System.out.println(pool.asExecutorService()
                            .submit((RankCallable<Integer>) () -> 42)
                            .get());
                });
            }
            case "led" -> { // under --pool, with an MPI program of a single rank
                try (Mpi mpi = Mpi.init()) {
                    List<Integer> squares = RankPool.call(
                            mpi.world(),
                            0,
                            pool -> pool.map(x -> x * x, List.of(1, 2)).toList());
                    System.out.println(squares);
                }
            }
            case "dies" -> {
                RankPool.run(pool -> {
                    pool.map(x -> exit(x), IntStream.range(0, 51)).toList();
                });
            }
            case "all die" -> {
                RankPool.run(pool -> {
                    try {
                        pool.idempotent().submit(x -> exit(x), 50).get();
                    } catch (ExecutionException e) {
                        System.out.println(e.getCause().getMessage());
                    }
                    try {
                        pool.submit(x -> exit(x), 1).get();
                    } catch (BrokenPoolException | ExecutionException e) {
                        System.out.println(e.getMessage());
                    }
                });
            }
            case "together" -> {
                RankPool.run(pool -> {
                    try {
                        pool.callOnAll(
                                (workers, x) -> switch (workers.rank()) {
                                    case 0 -> workers.recvObject(Integer.class, 2, 0); // rank 2 fails before it sends
                                    case 1 -> exit(x);
                                    case 3 -> {
                                        workers.sendObject(new int[1 << 20], 0, 1); // rank 1 has already failed
                                        yield 0;
                                    }
                                    default -> workers.allreduce(x, Op.SUM);
                                },
                                50);
                    } catch (RuntimeException e) {
                        System.out.println(e.getClass().getSimpleName());
                    }
                    System.out.println(pool.callOnAll((workers, x) -> workers.allreduce(x, Op.SUM), 1));
                });
            }
            case "endless" -> {
                RankPool.run(pool -> {
                    long end = System.nanoTime() + 1_000_000_000L * Long.parseLong(args[1]);
                    long settled = System.nanoTime() + (end - System.nanoTime()) / 3, before = 0, count = 0;
                    byte[] bytes = new byte[1000];
                    for (int length : pool.withWindow(1000).map(x -> x.length, Stream.generate(() -> bytes.clone()))) {
                        count += length / bytes.length;
                        if (count % 1000 == 0 && before == 0 && System.nanoTime() > settled) before = used();
                        if (count % 1000 == 0 && System.nanoTime() > end) break;
                    }
                    System.out.println("more " + (used() - before >> 20) + " MiB");
                });
            }
            case "submits" -> {
                RankPool.run(pool -> {
                    List<RankFuture<Integer>> futures = new ArrayList<>();
                    for (int i = Integer.parseInt(args[1]); i > 0; i--) {
                        futures.add(pool.submit(x -> x.length, new byte[1024]));
                    }
                    pool.awaitAll();
                    System.out.println(
                            futures.stream().mapToLong(RankFuture::join).sum() / 1024);
                });
            }
            case "sleeps" -> {
                try (RankPool pool = RankPool.openOrServe()) {
                    RankFuture<Integer> asleep = pool.submit(() -> sleep());
                    try {
                        asleep.get(100, TimeUnit.MILLISECONDS);
                    } catch (TimeoutException e) {
                        asleep.cancel(true);
                    }
                    try {
                        pool.withTimeout(Duration.ofMillis(100))
                                .submit(() -> sleep())
                                .get();
                    } catch (ExecutionException e) {
                        System.out.println(e.getCause().getClass().getSimpleName());
                    }
                    pool.map(x -> x, List.of(1, 2, 3)).toList();
                    System.out.println("READY");
                    pool.submit(() -> sleep()).get();
                }
            }
            case "fails" -> {
                try (RankPool pool = RankPool.openOrServe()) {
                    pool.submit(() -> sleep());
                    throw new IllegalStateException("rank 0 throws on purpose");
                }
            }
            case "exits" -> {
                try (RankPool pool = RankPool.openOrServe()) {
                    pool.map(x -> exit(x), IntStream.range(0, 100)).toList();
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static long used() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static int sleep() throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
        return 0;
    }

    private static int exit(int x) {
        if (x == 50) System.exit(7);
        return x;
    }

    private static double invert(double x) {
        if (x == 3) throw new ArithmeticException("no three");
        return 1 / x;
    }

    private static String facts(RankPool pool) throws Exception {
        List<String> facts = new ArrayList<>();
        int k = 3;
        facts.add("map "
                + pool.map(x -> k * x, IntStream.range(0, 10_000)).toList().hashCode());
        facts.add("hits "
                + pool.withSeed(42).unordered().callAll(Collections.nCopies(50, new Shots(1000))).stream()
                        .mapToLong(h -> h)
                        .sum());
        double sum =
                pool.reduce(x -> Math.exp(x / 1e4), IntStream.range(0, 10_000).boxed(), (a, b) -> a + b);
        facts.add("sum " + Double.toHexString(sum));
        facts.add("large "
                + pool.map(n -> new double[n], List.of(1, 100_000, 3_000_000)).stream()
                        .mapToInt(array -> array.length)
                        .sum());
        List<double[]> arrays = List.of(new double[1 << 20], new double[1 << 20], new double[1 << 20]);
        facts.add("sent " + pool.map(array -> array.length, arrays).toList());
        try {
            pool.submit(x -> invert(x), 3.0).get();
        } catch (ExecutionException e) {
            TaskFailedException why = (TaskFailedException) e.getCause();
            facts.add(why.getMessage().replaceAll("rank \\d of \\d", "rank r") + " | "
                    + why.getStackTrace()[0].getMethodName());
        }
        facts.add("odd "
                + kinds(pool.withChunkSize(4)
                        .map(x -> ((Even) x).n(), List.<Object>of(new Even(2), new Even(3), new Even(4)))));
        RankCompletionService<List<Integer>> open = pool.completionService();
        open.submit(n -> n > 1 ? List.of(n / 2, n - n / 2) : List.of(), 20);
        int tasks = 0;
        while (open.pending() > 0) {
            tasks++;
            for (int n : open.take().get()) open.submit(m -> m > 1 ? List.of(m / 2, m - m / 2) : List.of(), n);
        }
        facts.add("tasks " + tasks);
        try (SharedValue<double[]> table =
                pool.share(IntStream.range(0, 500_000).mapToDouble(x -> x).toArray())) {
            facts.add("shared "
                    + pool.map(x -> table.get()[x], IntStream.range(0, 5000)).stream()
                            .mapToDouble(x -> x)
                            .sum());
        }
        List<Integer> together = pool.callOnAll((workers, n) -> workers.allreduce(n, Op.SUM), 5);
        facts.add("callOnAll " + together.stream().allMatch(n -> n == 5 * pool.workerCount()));
        return String.join("\n", facts);
    }

    private static List<Object> kinds(Results<Integer> results) {
        List<Object> seen = new ArrayList<>();
        var each = results.iterator();
        while (each.hasNext()) {
            try {
                seen.add(each.next());
            } catch (TaskRefusedException e) {
                seen.add(e.getMessage().contains("cannot be rebuilt on rank") ? "refused" : e.getMessage());
            }
        }
        return seen;
    }
}
