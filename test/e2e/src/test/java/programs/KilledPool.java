package programs;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.RankPool;
import org.tutti.futures.Results;
import org.tutti.futures.Tasks;
import org.tutti.futures.WorkerLostException;

/// A pool under `tutti run --pool` in which rank 0 kills random workers. Each task records the start in a file,
/// so that lost tasks can be compared with started tasks.
///
///     KilledPool FILE TASKS KILLS SEED once|twice
public final class KilledPool {
    /// Every 50th task has a long argument and a long result.
    private static final int LONG_EVERY = 50, LONG = 40_000;

    private static @Nullable MappedByteBuffer marks;

    private KilledPool() {}

    private static MappedByteBuffer marks(String file) throws Exception {
        MappedByteBuffer known = marks;
        if (known != null) return known;
        try (FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return marks = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
        }
    }

    private static int[] task(String file, int[] argument) throws Exception {
        MappedByteBuffer all = marks(file);
        int i = argument[0];
        all.put(i, (byte) (all.get(i) + 1));
        if (i % 7 == 0) LockSupport.parkNanos(100_000);
        int[] result = new int[argument.length];
        result[0] = 3 * i;
        return result;
    }

    private static int[] argument(int i) {
        int[] argument = new int[i % LONG_EVERY == 0 ? LONG : 1];
        argument[0] = i;
        return argument;
    }

    public static void main(String[] args) throws Exception {
        String file = args[0];
        int count = Integer.parseInt(args[1]), kills = Integer.parseInt(args[2]);
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[3]));
        boolean twice = args[4].equals("twice");
        Files.write(Path.of(file), ByteBuffer.allocate(count + 1).array());
        RankPool.run(pool -> {
            List<Long> pids = new ArrayList<>(pool.callOnAll(
                    (_, x) -> {
                        // loads the class, so that a kill rarely precedes the first instruction of a task
                        task(file, new int[] {x});
                        return ProcessHandle.current().pid();
                    },
                    count));
            Tasks tasks = twice ? pool.idempotent() : pool;
            Results<int[]> results =
                    tasks.map(a -> task(file, a), IntStream.range(0, count).mapToObj(KilledPool::argument));
            Set<Integer> lost = new TreeSet<>();
            var each = results.iterator();
            int part = count / kills;
            for (int i = 0, kill = random.nextInt(part); i < count; i++) {
                if (i == kill) {
                    kill = (i / part + 1) * part + random.nextInt(part);
                    long pid = pids.remove(random.nextInt(pids.size()));
                    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                }
                try {
                    int[] result = each.next();
                    if (result[0] != 3 * i || result.length != argument(i).length)
                        throw new AssertionError("task " + i);
                } catch (WorkerLostException e) {
                    if (e.taskNumber() != i
                            || !e.hasStarted()
                            || !e.getMessage().contains("was killed (SIGKILL)")) throw e;
                    lost.add(i);
                }
            }
            while (pool.workerCount() > pids.size()) Thread.sleep(1); // until the last kill is detected
            check(marks(file), count, lost, twice);
            System.out.println("workers " + pool.workerCount() + ", next "
                    + pool.submit(x -> task(file, new int[] {x})[0], count).get());
        });
    }

    /// Checks that a task has run exactly once, or, if it was lost, at most once.
    private static void check(MappedByteBuffer marks, int count, Set<Integer> lost, boolean twice) {
        int unmarked = 0;
        for (int i = 0; i < count; i++) {
            int runs = marks.get(i);
            if (lost.contains(i) && runs == 0) unmarked++;
            boolean isRight = lost.contains(i) ? runs <= (twice ? 2 : 1) : runs == 1 || twice && runs == 2;
            if (!isRight) throw new AssertionError("task " + i + " has run " + runs + " times");
        }
        System.out.println("lost " + lost.size() + ", before the first instruction " + unmarked);
    }
}
