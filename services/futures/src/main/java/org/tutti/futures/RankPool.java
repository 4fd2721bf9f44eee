package org.tutti.futures;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Tutti;

/// Ranks that run tasks: one rank leads and gives them, the others are workers.
///
///     void main() {
///         try (RankPool pool = RankPool.open()) {  // rank 0 goes on, the others serve
///             IO.println(pool.map(x -> x * x, IntStream.range(0, 9)).toList());
///         }
///     }
///
/// A pool of one rank runs its tasks on a thread of that rank.
public final class RankPool extends Tasks implements AutoCloseable {
    private RankPool(Comm comm, boolean processes, WorkerDeaths deaths, Runnable atEnd) {
        super(
                new Dispatcher(new CommLink(comm), processes, deaths, atEnd),
                Options.usual(RandomGenerator.getDefault().nextLong()));
    }

    /// What the leading rank does with a pool.
    ///
    /// @param <R> of the result
    /// @param <E> of what it throws
    @FunctionalInterface
    public interface Body<R extends @Nullable Object, E extends Exception> {
        R lead(RankPool pool) throws E;
    }

    /// Joins the job, in the place of [Mpi#init], and returns a pool of all of its ranks, on rank 0. On
    /// the others it does not return: they serve until the pool is closed, and then their process ends
    /// with exit code 0. What stands before it is done by every rank, but under `tutti run --pool` by rank 0
    /// alone: there the others serve from the beginning. [#close] leaves the job.
    ///
    /// With `--pool`, on shared memory, a worker's death costs the tasks that it had begun, each a
    /// [WorkerLost], and nothing else, while one worker lives. Else it ends the job.
    ///
    /// Collective over the job's ranks, blocking.
    ///
    /// @throws IllegalStateException in a process that has called this or [Mpi#init] before
    /// @throws MpiException as [Mpi#init] otherwise
    public static RankPool open() {
        Mpi mpi = join();
        Comm world = mpi.world();
        if (world.size() == 1) return threads(1, mpi::close);
        OwnedComm comm = world.dup(Wire.IDLE);
        comm.name("POOL");
        if (world.rank() == 0) {
            return new RankPool(comm, true, WorkerDeaths.ofJob(), () -> {
                comm.close();
                mpi.close();
            });
        }
        Worker.serve(comm, 0, RankProcess.current());
        comm.close();
        mpi.close();
        System.exit(0); // the rest of main is rank 0's
        throw new AssertionError();
    }

    private static Mpi join() {
        try {
            return Mpi.init();
        } catch (MpiException e) {
            if (e.scope() != MpiException.Scope.ARGUMENT) throw e;
            throw new IllegalStateException(
                    "open: this process has joined its job before, by RankPool.open or Mpi.init, and joins once; use the"
                            + " pool that was opened, RankPool.lead(comm, 0, …) or RankPool.threads(n)",
                    e);
        }
    }

    /// Makes a pool of the ranks of `comm` for as long as `body` takes, which runs on rank `root` while
    /// the others serve. Messages of the pool meet no others of `comm`. Collective, blocking.
    ///
    ///     List<Double> s = RankPool.lead(world, 0, pool -> pool.map(p -> score(p), candidates).toList());
    ///
    /// @return on `root` what `body` returns; null on the others
    /// @throws E what `body` throws, on `root`; the others return as ever
    /// @throws IllegalArgumentException when `root` is no rank of `comm`
    /// @throws IllegalStateException as [#close]
    public static <R extends @Nullable Object, E extends Exception> @Nullable R lead(
            Comm comm, int root, Body<R, E> body) throws E {
        if (root < 0 || root >= comm.size()) {
            throw new IllegalArgumentException("lead: root=" + root + " is no rank of 0 to " + (comm.size() - 1));
        }
        if (comm.size() == 1) {
            try (RankPool pool = threads(1)) {
                return body.lead(pool);
            }
        }
        OwnedComm own = comm.dup(Wire.IDLE);
        own.name("POOL");
        if (comm.rank() != root) {
            // with --pool the board is of the pool of all ranks
            Worker.serve(own, root, RankEnvironment.isOfPool() ? null : RankProcess.current());
            own.close();
            return null;
        }
        try (RankPool pool = new RankPool(own, true, WorkerDeaths.NONE, own::close)) {
            return body.lead(pool);
        }
    }

    /// Makes a pool of `n` threads of this process, for tests and for JShell. Arguments and results are
    /// copied as between processes.
    ///
    /// @throws IllegalArgumentException when `n` is less than 1
    public static RankPool threads(int n) {
        if (n < 1) throw new IllegalArgumentException("threads: n=" + n + " is less than 1");
        return threads(n, () -> {});
    }

    private static RankPool threads(int n, Runnable atEnd) {
        CompletableFuture<RankPool> made = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("tutti-pool-threads").start(() -> {
            try {
                Tutti.local(n + 1, mpi -> lead(mpi, made, closed, atEnd));
            } catch (RuntimeException | Error e) {
                made.completeExceptionally(e);
            }
        });
        try {
            return made.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException why) throw why;
            throw e;
        }
    }

    /// One of the ranks that are threads: the first one is there for the pool's thread.
    private static void lead(Mpi mpi, CompletableFuture<RankPool> made, CountDownLatch closed, Runnable atEnd)
            throws InterruptedException {
        try (OwnedComm comm = mpi.world().dup(Wire.IDLE)) {
            comm.name("POOL");
            if (mpi.world().rank() > 0) {
                Worker.serve(comm, 0, null);
                return;
            }
            made.complete(new RankPool(comm, false, WorkerDeaths.NONE, () -> {
                closed.countDown();
                atEnd.run();
            }));
            closed.await();
        }
    }

    /// Returns how many ranks run tasks: fewer than in the beginning when some have died. Local.
    public int workers() {
        return dispatcher.workers();
    }

    /// Returns a set of tasks of one kind, to be taken as they end. Local.
    public <R extends @Nullable Object> Completion<R> completion() {
        return new Completion<>(this);
    }

    /// Returns a value that goes to each worker once, when a task first captures it. Local.
    ///
    /// @throws TaskRefused when a task of this pool calls this, or the pool is closed
    public <T> SharedValue<T> share(T value) {
        return dispatcher.share(Objects.requireNonNull(value, "share: the value is null"));
    }

    /// Calls `function` on all workers together, each with a communicator of them, and returns their
    /// results, by rank in it. A worker begins when it has done what it was given before. Blocking.
    ///
    /// @throws TaskRefused as [#submit(RankFunction, Object)]
    /// @throws TaskFailure of the first worker that has failed; others may wait for it in a collective
    ///     call for ever
    /// @throws WorkerLost when one has died, before it or in it
    public <T extends @Nullable Object, R extends @Nullable Object> List<R> everywhere(
            CommFunction<T, R> function, T argument) {
        Object[] definition = definition(function, null, "everywhere");
        PoolJob job = new PoolJob(
                Wire.TOGETHER,
                Wire.ONCE,
                definition,
                0,
                0,
                false,
                dispatcher.pools(),
                "everywhere",
                UserLine.here(),
                UserLine.frame());
        LinkedBlockingQueue<RankFuture<R>> ended = new LinkedBlockingQueue<>();
        List<RankFuture<R>> futures = new ArrayList<>();
        dispatcher.together("everywhere", (place, ranks) -> {
            Object[] words = {argument, ranks};
            RankFuture<R> future = new RankFuture<>(dispatcher, job, place, words, ended, null);
            futures.add(future);
            return future.batch();
        });
        try {
            for (int i = 0; i < futures.size(); i++) ended.take().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallSites.refused("everywhere", "interrupted while the workers were in it");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException why) throw why;
            throw new IllegalStateException(e);
        }
        return new ArrayList<>(futures.stream().map(RankFuture::join).toList());
    }

    /// Returns `RankPool, 4 workers, 2 tasks of futures have not ended`, or that it has ended and why. Local.
    @Override
    public String toString() {
        return "RankPool, " + dispatcher;
    }

    /// Waits until the tasks of all futures have ended. Blocking.
    public void awaitAll() throws InterruptedException {
        dispatcher.awaitSubmitted();
    }

    /// Ends the pool and lets its workers go. Tasks that have not begun never do, those that run are
    /// interrupted; a task that does not react is waited for two seconds. A second call does nothing.
    ///
    /// @throws IllegalStateException when tasks of futures had not ended, which are cancelled now, since
    ///     [#awaitAll] was not called; when a task does not react
    @Override
    public void close() {
        long unfinished = dispatcher.close();
        if (unfinished == 0) return;
        String tasks = unfinished == 1 ? "1 task has not ended and was" : unfinished + " tasks have not ended and were";
        throw new IllegalStateException(
                "close: " + tasks + " cancelled; call awaitAll() before the end of the try block");
    }
}
