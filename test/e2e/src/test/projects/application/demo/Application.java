package demo;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.tutti.futures.BrokenPoolException;
import org.tutti.futures.RankPool;
import org.tutti.mpi.Launch;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// An application, not started by Tutti's launcher.
public final class Application {
    private Application() {}

    record Point(int x, int y) {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "threads" -> {
                try (RankPool pool = RankPool.threads(2)) {
                    use(pool);
                }
            }
            case "processes" -> {
                try (RankPool pool = RankPool.processes(2, "-XX:TieredStopAtLevel=1")) {
                    use(pool);
                    loseWorker(pool);
                }
            }
            case "unready" -> {
                try (RankPool pool = RankPool.processes(1, "-javaagent:missing.jar")) {
                    use(pool);
                } catch (BrokenPoolException e) {
                    System.out.println(e.getMessage());
                }
            }
            case "platform" -> {
                try (RankPool pool = RankPool.processes(1, "-XX:TieredStopAtLevel=1")) {
                    System.out.println(pool.submit(key -> String.valueOf(System.getProperty(key)), "tutti.door")
                            .join());
                }
            }
            case "pool" -> RankPool.run(Application::use);
            case "ranks" -> {
                try (Mpi mpi = Mpi.init()) {
                    int ranks = mpi.world().allreduce(1, Op.SUM);
                    if (mpi.world().rank() == 0) System.out.println(ranks + " ranks");
                }
            }
            case "spawn" -> {
                Tutti.spawn(2, Application.class, "ranks");
                try (Mpi mpi = Mpi.init()) {
                    mpi.self().spawnMultiple(0, Launch.of(2, Application.class.getName(), "ranks")).close();
                }
            }
            case "wait" -> {
                RankPool pool = RankPool.processes(2, "-XX:TieredStopAtLevel=1");
                List<Long> pids = pool.callOnAll(
                        (comm, x) -> ProcessHandle.current().pid(), 0);
                System.out.println("ready 0 " + ProcessHandle.current().pid());
                for (int i = 0; i < pids.size(); i++) System.out.println("ready " + (i + 1) + " " + pids.get(i));
                Thread.sleep(Long.MAX_VALUE);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void use(RankPool pool) {
        int base = 100;
        System.out.println(pool.map(x -> x * x, IntStream.range(0, 5).boxed().toList()).toList());
        System.out.println(pool.submit(p -> new Point(p.x() + base, p.y()), new Point(1, 2)).join());
    }

    private static void loseWorker(RankPool pool) throws InterruptedException {
        try {
            pool.submit(code -> {
                        Runtime.getRuntime().halt(code);
                        return 0;
                    }, 7).get();
        } catch (ExecutionException e) {
            System.out.println(e.getCause().getClass().getSimpleName() + ", " + pool.workerCount() + " is left");
        }
        use(pool);
    }
}
