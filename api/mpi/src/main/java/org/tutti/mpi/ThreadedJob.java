package org.tutti.mpi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.mpi.Session.Membership;
import org.tutti.mpi.engine.Engines;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalJobObserver;

/// One run of [Tutti#local].
final class ThreadedJob {
    /// The time within which the remaining ranks must end after the failure of a rank. Ranks that are waiting
    /// for a message get an exception immediately.
    private static final Duration GRACE = Duration.ofSeconds(2);

    /// Values that replace the number of a failed rank.
    private static final int INTERRUPTED = -1, NO_RANK = -2;

    private record Failure(int rank, Throwable why) {}

    private final List<? extends Engine> engines;
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Failure first;
    private final @Nullable LocalJobObserver observer;

    private ThreadedJob(List<? extends Engine> engines) {
        this.engines = engines;
        observer = Engines.observeLocal(engines, this::deadlock);
    }

    /// Called when the [LocalJobObserver] has detected with certainty that ranks wait for each other forever.
    private void deadlock(String text) {
        end(new Failure(NO_RANK, new IllegalStateException(text)), engines.getFirst(), text);
    }

    /// Ends the job, and records the reason. Later reasons are ignored, because they are usually failures of
    /// operations that the end of the job has caused. A call with a later reason returns when the first reason
    /// has been reported to the engines.
    private synchronized void end(Failure why, Engine engine, String text) {
        if (first != null) return;
        first = why;
        engine.job().abort(1, text);
        for (Thread t : threads) if (t != Thread.currentThread()) t.interrupt();
    }

    static void run(int size, Tutti.Body body) {
        List<? extends Engine> engines;
        try {
            EngineProvider provider = Engines.named(RankEnvironment.SHM);
            if (!(provider instanceof EngineProvider.Local local)) {
                throw new IllegalStateException("engine " + provider.name() + " has no ranks as threads");
            }
            engines = local.openLocal(size);
        } catch (Fault f) {
            throw MpiException.of(f);
        } catch (JobException e) {
            throw MpiException.of(e);
        }
        ThreadedJob job = new ThreadedJob(engines);
        try {
            job.runAll(body);
        } finally {
            if (job.observer != null) job.observer.close();
        }
    }

    private void runAll(Tutti.Body body) {
        for (int r = 0; r < engines.size(); r++) {
            int rank = r;
            threads.add(Thread.ofPlatform().name("rank-" + rank).unstarted(() -> runOne(rank, body)));
        }
        threads.forEach(Thread::start);
        boolean interrupted = false;
        for (Thread t : threads) interrupted |= join(t);
        Failure failed = first;
        if (interrupted) Thread.currentThread().interrupt();
        if (failed != null) throw report(failed);
    }

    private void runOne(int rank, Tutti.Body body) {
        Engine engine = engines.get(rank);
        Membership membership =
                new Membership(new EngineCalls(engine, observer == null ? null : observer.observer(rank)), null);
        membership.isOfThread();
        if (observer != null) observer.runs(rank, Thread.currentThread());
        try {
            try (Mpi mpi = membership.begin(Mpi.Kind.PROGRAM)) {
                runUntilItFails(rank, body, mpi);
            }
            membership.end();
        } catch (Throwable t) {
            fails(rank, t);
        }
    }

    /// Runs the body. A failure is recorded before the rank leaves, because otherwise a rank that detects that
    /// this rank has left could be recorded as the first rank that failed.
    private void runUntilItFails(int rank, Tutti.Body body, Mpi mpi) throws Exception {
        try {
            body.run(mpi);
        } catch (Throwable t) {
            fails(rank, t);
            throw t;
        }
    }

    private void fails(int rank, Throwable why) {
        Failure before = first;
        boolean isNew = before == null || before.why != why;
        if (observer != null && isNew) observer.failed(rank, why);
        end(new Failure(rank, why), engines.get(rank), "rank " + rank + " failed: " + why);
    }

    /// Waits until the thread ends; after the failure of a rank, waits only for the grace time. Returns whether
    /// the caller was interrupted during the wait. An interrupt ends the job as a failure does.
    private boolean join(Thread t) {
        boolean interrupted = false;
        long failedAt = 0;
        while (t.isAlive()) {
            try {
                t.join(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                interrupted = true;
                end(
                        new Failure(INTERRUPTED, e),
                        engines.getFirst(),
                        "the thread that called Tutti.local was interrupted");
            }
            if (first == null) continue;
            if (failedAt == 0) failedAt = System.nanoTime();
            if (System.nanoTime() - failedAt > GRACE.toNanos()) break;
        }
        return interrupted;
    }

    private MpiException report(Failure failed) {
        List<String> stragglers =
                threads.stream().filter(Thread::isAlive).map(Thread::getName).toList();
        String text = switch (failed.rank) {
            case INTERRUPTED -> "interrupted";
            case NO_RANK -> String.valueOf(failed.why.getMessage());
            default -> "rank " + failed.rank + " of " + engines.size() + " failed: " + failed.why;
        };
        String difference = observer == null ? null : observer.difference();
        if (difference != null) text += "; " + difference;
        if (!stragglers.isEmpty()) text += "; still running after " + GRACE.toSeconds() + " s: " + stragglers;
        if (failed.why instanceof Error assertion) {
            // an assertion of a test is thrown unchanged
            assertion.addSuppressed(MpiException.job(ErrorClass.ERR_PROC_FAILED, "local", text, null));
            throw assertion;
        }
        return MpiException.job(ErrorClass.ERR_PROC_FAILED, "local", text, null, failed.why);
    }
}
