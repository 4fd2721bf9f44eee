package org.tutti.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.LocalWatch;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.JobStatus;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.JobWatcher;
import org.tutti.spi.LocalJobObserver;
import org.tutti.spi.Observer;
import org.tutti.spi.WaitInsight;

/// Records and watches the ranks of a job of threads, as [Recording] does for processes: a status page in this
/// process's memory replaces the launcher's page, and if tutti-launch is present, the watcher reports stalls
/// and deadlocks.
///
/// Only the main thread of each rank can be assigned to a rank. Every other thread counts for each rank, even
/// while it is blocked in a call of a particular rank, because the next call of the thread can be for any rank.
/// Threads that existed before the job and run no code of the program, for example threads of a test framework,
/// do not count.
final class LocalRecording implements LocalJobObserver {
    /// Prefixes of class names in programs that run tests or snippets. The threads of such programs make no
    /// calls.
    private static final List<String> HARNESSES = List.of(
            "org.apache.maven.surefire.",
            "org.junit.",
            "org.gradle.",
            "worker.org.gradle.",
            "com.intellij.rt.",
            "org.eclipse.jdt.",
            "jdk.jshell.");

    private static final List<String> HARNESS_THREADS = List.of("surefire-", "junit-", "jshell-");

    private final List<Observer> observers = new ArrayList<>();
    private final List<Callers> callers = new ArrayList<>();
    private final LocalWatch watch;
    private final JobStatus status;
    private final JobWatcher.@Nullable Watch watcher;

    /// The thread that waits until all ranks have ended.
    private final Thread starter = Thread.currentThread();

    private final List<Thread> before = List.copyOf(Thread.getAllStackTraces().keySet());

    private LocalRecording(List<? extends Engine> engines, Consumer<String> end) {
        boolean always = RankEnvironment.checks();
        List<FlightRing> rings = new ArrayList<>();
        for (int r = 0; r < engines.size(); r++) rings.add(FlightRing.ofThisProcess());
        status = JobStatus.ofThreads(rings);
        watch = new LocalWatch(status);
        for (int r = 0; r < engines.size(); r++) {
            int rank = r;
            Engine engine = engines.get(r);
            FlightRing ring = rings.get(r);
            CommPort world = engine.communicators().world();
            Callers ofRank = new Callers(ring);
            callers.add(ofRank);
            WaitInsight insight = engine.power(WaitInsight.class);
            Predicate<Thread> isForeign = t -> isForeign(t, rank);
            watch.eachSecond(ring::tick);
            Recorder recorder =
                    new Recorder(engine, ring, ofRank, new Lines(ring, always), new Pairing(status, always));
            watch.eachSecond(new BlockedCallReporter(
                    ofRank,
                    ring,
                    status.waits(r),
                    Recording.lines(status),
                    world,
                    insight,
                    isForeign,
                    () -> virtualElsewhere(rank),
                    recorder::explain));
            recorder.onLeave(() -> status.state(rank, JobStatus.State.LEFT));
            observers.add(recorder);
        }
        watcher = watcher(end);
        watch.start();
    }

    static LocalJobObserver of(List<? extends Engine> engines, Consumer<String> end) {
        return new LocalRecording(engines, end);
    }

    private JobWatcher.@Nullable Watch watcher(Consumer<String> end) {
        for (JobWatcher each : ServiceLoader.load(JobWatcher.class, LocalRecording.class.getClassLoader())) {
            return each.watch(status, line -> System.err.println("tutti: " + line), end);
        }
        return null;
    }

    private boolean isForeign(Thread thread, int rank) {
        if (thread == starter) return true;
        int other = watch.rankOf(thread);
        if (other >= 0) return other != rank;
        return before.contains(thread) && isOfHarness(thread);
    }

    /// Returns the number of virtual threads that are in calls of other ranks; the ranks' main threads are not
    /// counted. Platform threads are counted with the threads of the process.
    private long virtualElsewhere(int rank) {
        long found = 0;
        for (int r = 0; r < callers.size(); r++) {
            if (r == rank) continue;
            for (Caller caller : callers.get(r).inCalls())
                if (caller.thread.isVirtual() && watch.rankOf(caller.thread) < 0) found++;
        }
        return found;
    }

    private static boolean isOfHarness(Thread thread) {
        for (String name : HARNESS_THREADS) if (thread.getName().startsWith(name)) return true;
        boolean isHarness = false;
        for (StackTraceElement frame : thread.getStackTrace()) {
            String name = frame.getClassName();
            boolean isOne = HARNESSES.stream().anyMatch(name::startsWith);
            isHarness |= isOne;
            if (!isOne && !OtherThreads.isOfTheJdk(name)) return false;
        }
        return isHarness;
    }

    @Override
    public Observer observer(int rank) {
        return observers.get(rank);
    }

    @Override
    public void runs(int rank, Thread thread) {
        watch.runs(rank, thread);
    }

    @Override
    public void failed(int rank, Throwable why) {
        status.fail(rank, 1, why.toString());
    }

    @Override
    public @Nullable String difference() {
        return watcher == null ? null : watcher.difference();
    }

    @Override
    public void close() {
        watch.close();
        if (watcher != null) watcher.close();
        callers.forEach(Callers::close);
    }
}
