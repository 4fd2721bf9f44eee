package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Stops each rank of a job at random times, usually for milliseconds, sometimes for seconds. One, several or
/// all ranks can be stopped at the same time.
///
/// A shell sends the signals, because starting a process per signal would be too slow. When the input of the
/// shell ends, by [#close] or because this JVM ends, the shell continues all ranks.
public final class RandomStops implements AutoCloseable {
    private static final int MOST_PAUSE_MILLIS = 80;
    private static final String SHELL =
            "while read -r signal pid; do kill -$signal $pid; done 2>/dev/null; kill -CONT \"$@\" 2>/dev/null";

    private final Child job;
    private final Process shell;
    private final Writer signals;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger stops = new AtomicInteger();
    private volatile boolean closed;

    private RandomStops(Child job, List<Long> ranks, long seed) throws IOException {
        this.job = job;
        List<String> arguments = new ArrayList<>(List.of("sh", "-c", SHELL, "sh"));
        for (long rank : ranks) arguments.add(Long.toString(rank));
        shell = new ProcessBuilder(arguments).start();
        signals = shell.outputWriter();
        SplittableRandom random = new SplittableRandom(seed);
        for (long rank : ranks) {
            SplittableRandom own = random.split();
            threads.add(Thread.ofPlatform().daemon().start(() -> stopNowAndThen(rank, own)));
        }
    }

    /// Waits until all ranks of the job exist, as JVMs that run `main`, and starts to stop ranks.
    public static RandomStops of(Child job, int ranks, String main, long seed)
            throws IOException, InterruptedException {
        List<Long> pids = pids(job, main);
        while (pids.size() < ranks && job.isAlive()) {
            TimeUnit.MILLISECONDS.sleep(5);
            pids = pids(job, main);
        }
        return new RandomStops(job, pids, seed);
    }

    private static List<Long> pids(Child job, String main) {
        return ProcessHandle.of(job.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(p -> p.info().command().orElse("").endsWith("/java"))
                .filter(p -> List.of(p.info().arguments().orElse(new String[0])).contains(main))
                .map(ProcessHandle::pid)
                .toList();
    }

    private void stopNowAndThen(long rank, SplittableRandom random) {
        try {
            while (!closed && job.isAlive()) {
                signal("STOP", rank);
                TimeUnit.MILLISECONDS.sleep(stopMillis(random));
                signal("CONT", rank);
                stops.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            // this object has been closed; the shell continues the rank
        }
    }

    private static int stopMillis(SplittableRandom random) {
        int kind = random.nextInt(200);
        if (kind < 150) return random.nextInt(1, 10);
        if (kind < 190) return random.nextInt(10, 100);
        return kind < 199 ? random.nextInt(100, 1000) : random.nextInt(1000, 4001);
    }

    private synchronized void signal(String name, long pid) {
        try {
            if (closed) return;
            signals.write(name + " " + pid + "\n");
            signals.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the number of stops so far.
    public int count() {
        return stops.get();
    }

    /// Continues all ranks.
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            signals.close();
        }
        for (Thread t : threads) t.interrupt();
        try {
            shell.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the input has ended, so the shell continues the ranks
        }
    }
}
