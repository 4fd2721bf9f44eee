package org.tutti.futures;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.job.process.UserLine;
import org.tutti.job.status.JobStatus;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.pool.WorkerJob;

/// Ranks that run tasks: one rank, the leader, submits tasks, and the other ranks are workers.
///
///     void main() {
///         RankPool.run(pool -> { // on rank 0; the other ranks run the tasks
///             IO.println(pool.map(x -> x * x, IntStream.range(0, 9)).toList());
///         });
///     }
///
/// A pool with a single rank runs the tasks on a thread of that rank.
public final class RankPool extends Tasks implements AutoCloseable {
    /// Maximum time that `close` waits for threads whose tasks have ended.
    private static final long THREADS_END_SECONDS = 2;

    /// The job of [#processes]; null in any other pool.
    private final @Nullable WorkerJob job;

    private RankPool(Comm comm, boolean processes, WorkerDeaths deaths, Runnable atEnd) {
        this(comm, processes, deaths, null, atEnd);
    }

    private RankPool(Comm comm, boolean processes, WorkerDeaths deaths, @Nullable WorkerJob job, Runnable atEnd) {
        super(
                new Dispatcher(new CommLink(comm), processes, deaths, atEnd),
                TaskOptions.defaults(RandomGenerator.getDefault().nextLong()));
        this.job = job;
    }

    /// The program of the leading rank.
    ///
    /// @param <E> type of the exceptions
    @FunctionalInterface
    public interface Body<E extends Exception> {
        void run(RankPool pool) throws E;
    }

    /// A program of the leading rank that returns a result.
    ///
    /// @param <R> type of the result
    /// @param <E> type of the exceptions
    @FunctionalInterface
    public interface ResultBody<R extends @Nullable Object, E extends Exception> {
        R call(RankPool pool) throws E;
    }

    /// Joins the job, instead of [Mpi#init], and runs `body` on rank 0 with a pool of all ranks. The other
    /// ranks run the pool's tasks. On every rank this method returns after the body has ended: the pool has
    /// been closed, as by [#close], and the rank has left the job.
    ///
    /// All ranks execute the code before and after this call, except under `tutti run --pool`: there only rank
    /// 0 runs `main`, and the other ranks are workers from the beginning.
    ///
    /// With `--pool`, on shared memory, the death of a worker affects only the tasks already started on this
    /// worker, which fail with a [WorkerLostException]; the job continues as long as at least one worker is
    /// alive. Otherwise the death of a worker ends the job.
    ///
    /// Collective over the job's ranks, blocking.
    ///
    /// @throws E the exception of `body`, on rank 0; the other ranks return normally
    /// @throws UnfinishedTasksException as [#close]
    /// @throws IllegalStateException in a process that has already joined the job, by this method,
    ///     [#openOrServe] or [Mpi#init]
    /// @throws MpiException as [Mpi#init] otherwise
    public static <E extends Exception> void run(Body<E> body) throws E {
        Objects.requireNonNull(body, "run: body is null");
        RankPool pool = joinOrServe("run");
        if (pool == null) return;
        pool.leadAndClose("run", p -> {
            body.run(p);
            return null;
        });
    }

    /// As [#run(Body)], for a pool that is used in more than a single block of code, for instance in a field:
    /// returns the pool on rank 0. **On the other ranks this method does not return**: these ranks run tasks
    /// until the pool is closed, then the process ends with exit code 0, like the workers of mpi4py's
    /// `MPIPoolExecutor`. After [#close], this rank has left the job.
    ///
    /// Collective over the job's ranks, blocking.
    ///
    /// @throws IllegalStateException in a process that has already joined the job, by this method, [#run(Body)]
    ///     or [Mpi#init]
    /// @throws MpiException as [Mpi#init] otherwise
    public static RankPool openOrServe() {
        RankPool pool = joinOrServe("openOrServe");
        if (pool != null) return pool;
        System.exit(0); // the rest of main is only for rank 0
        throw new AssertionError();
    }

    /// Returns null on a worker, after the pool was closed and the rank has left the job.
    private static @Nullable RankPool joinOrServe(String operation) {
        Mpi mpi = join(operation);
        Comm world = mpi.world();
        if (world.size() == 1) return threads(1, mpi::close);
        OwnedComm comm = world.dup(Wire.IDLE);
        comm.setName("POOL");
        if (world.rank() == 0) {
            return new RankPool(comm, true, WorkerDeaths.ofJob(), () -> {
                comm.close();
                mpi.close();
            });
        }
        Worker.serve(comm, 0, RankProcess.current());
        comm.close();
        mpi.close();
        return null;
    }

    private static Mpi join(String operation) {
        try {
            return Mpi.init();
        } catch (MpiException e) {
            if (e.scope() != MpiException.Scope.ARGUMENT) throw e;
            throw new IllegalStateException(
                    operation + ": this process has already joined the job, by RankPool or Mpi.init; use"
                            + " the pool that was opened, RankPool.run(comm, 0, …) or RankPool.threads(n)",
                    e);
        }
    }

    /// Runs `body` on rank `root` of `comm` with a pool of the other ranks, which run the pool's tasks. On
    /// every rank this method returns after the body has ended. Messages of the pool are separate from the
    /// messages of `comm`. Collective, blocking.
    ///
    ///     RankPool.run(world, 0, pool -> IO.println(pool.map(p -> score(p), candidates).toList()));
    ///
    /// @throws E the exception of `body`, on `root`; the other ranks return normally
    /// @throws IllegalArgumentException if `root` is not a rank of `comm`
    /// @throws UnfinishedTasksException as [#close]
    public static <E extends Exception> void run(Comm comm, int root, Body<E> body) throws E {
        Objects.requireNonNull(body, "run: body is null");
        lead(comm, root, "run", pool -> {
            body.run(pool);
            return null;
        });
    }

    /// As [#run(Comm, int, Body)], for a body that returns a result.
    ///
    ///     List<Double> s = RankPool.call(world, 0, pool -> pool.map(p -> score(p), candidates).toList());
    ///
    /// @return the result of `body` on `root`; null on the other ranks
    /// @throws E the exception of `body`, on `root`; the other ranks return normally
    /// @throws IllegalArgumentException if `root` is not a rank of `comm`
    /// @throws UnfinishedTasksException as [#close]
    public static <R extends @Nullable Object, E extends Exception> @Nullable R call(
            Comm comm, int root, ResultBody<R, E> body) throws E {
        return lead(comm, root, "call", body);
    }

    private static <R extends @Nullable Object, E extends Exception> @Nullable R lead(
            Comm comm, int root, String operation, ResultBody<R, E> body) throws E {
        Objects.requireNonNull(comm, () -> operation + ": comm is null");
        Objects.requireNonNull(body, () -> operation + ": body is null");
        if (root < 0 || root >= comm.size()) {
            throw new IllegalArgumentException(
                    operation + ": root=" + root + " is not a rank of 0 to " + (comm.size() - 1));
        }
        if (comm.size() == 1) {
            return threads(1).leadAndClose(operation, body);
        }
        OwnedComm own = comm.dup(Wire.IDLE);
        own.setName("POOL");
        if (comm.rank() != root) {
            // with --pool, the workers of the pool of all ranks publish tasks on the status page, so the
            // workers of this pool must not
            Worker.serve(own, root, RankEnvironment.isOfPool() ? null : RankProcess.current());
            own.close();
            return null;
        }
        return new RankPool(own, true, WorkerDeaths.NONE, own::close).leadAndClose(operation, body);
    }

    /// Calls the body and closes this pool. If the body fails, its exception is the only report: remaining
    /// tasks are cancelled without a report.
    private <R extends @Nullable Object, E extends Exception> R leadAndClose(String operation, ResultBody<R, E> body)
            throws E {
        R result;
        try {
            result = body.call(this);
        } catch (Throwable e) {
            try {
                closeDispatcher();
            } catch (RuntimeException | Error ofClose) {
                e.addSuppressed(ofClose);
            }
            throw e;
        }
        long unfinished = closeDispatcher();
        if (unfinished > 0) {
            throw new UnfinishedTasksException(operation + ": " + cancelled(unfinished)
                    + " when the body returned; call pool.awaitAll() at the end of the body");
        }
        return result;
    }

    /// As [Dispatcher#close]; also kills workers of [#processes] whose tasks do not react.
    private long closeDispatcher() {
        try {
            return dispatcher.close();
        } catch (UnfinishedTasksException e) {
            if (job == null) throw e;
            job.kill();
            throw new UnfinishedTasksException(e.getMessage() + "; its process was killed");
        }
    }

    private static String cancelled(long tasks) {
        return tasks == 1 ? "1 unfinished task was cancelled" : tasks + " unfinished tasks were cancelled";
    }

    /// Creates a pool of `n` threads of this process, for tests and for JShell. Arguments and results are
    /// copied as between processes.
    ///
    /// @throws IllegalArgumentException if `n` is less than 1
    public static RankPool threads(int n) {
        if (n < 1) throw new IllegalArgumentException("threads: n=" + n + " is less than 1");
        if (n == Integer.MAX_VALUE)
            throw new IllegalArgumentException("threads: n=" + n + " exceeds " + (Integer.MAX_VALUE - 1));
        return threads(n, () -> {});
    }

    /// Starts `n` worker processes for a program that no launcher has started, for example of a web server, and
    /// returns when they are ready. This process is not a rank of the pool's job. Therefore it may create
    /// several pools and may be a rank of a different job, and no failure of the pool ends this process.
    /// Blocking.
    ///
    ///     try (RankPool pool = RankPool.processes(4, "-Xmx1g")) { … }
    ///
    /// Workers are JVMs like this one: the same Java, classes, system properties and `--add-…` options of the
    /// command line, and a fair share of the machine's memory. The classes are those of the caller's class
    /// path, module path or run-time image, or of the jar in which the program was started, including a jar of
    /// Spring Boot. A worker runs only tasks: it does not call `main`, and has no objects of this process.
    /// Complete lines that workers print appear on `System.out` and `System.err` of this process.
    ///
    /// The death of a worker affects only the tasks that it had started, which fail with a
    /// [WorkerLostException]; the pool continues as long as at least one worker is alive. [#close] ends the
    /// workers, at the latest after about three seconds; they also end with this process, even if it is killed.
    ///
    /// @param jvm further options of the workers' JVMs, which have priority over the options of this JVM
    /// @throws IllegalArgumentException if `n` is less than 1
    /// @throws MpiException `ERR_SPAWN` if `n` is too large, an option is invalid, or another process could not
    ///     load the classes of this one; `ERR_OTHER` without tutti-launch on the class path
    /// @throws BrokenPoolException if a worker ended before it was ready
    public static RankPool processes(int n, String... jvm) {
        if (n < 1) throw new IllegalArgumentException("processes: n=" + n + " is less than 1");
        Objects.requireNonNull(jvm, "processes: jvm is null");
        for (String option : jvm) Objects.requireNonNull(option, "processes: an option is null");
        Class<?> caller = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .getCallerClass();
        return hosted(WorkerJob.start(n, caller, List.of(jvm)));
    }

    private static RankPool hosted(WorkerJob job) {
        try {
            OwnedComm comm = ((Comm) job.world()).dup(Wire.IDLE); // returns when all workers have joined
            comm.setName("POOL");
            return new RankPool(comm, true, new WorkerDeaths(job.status()), job, () -> leave(comm, job));
        } catch (MpiException e) {
            JobStatus status = job.status();
            String why = "";
            for (int rank = status.size() - 1; rank > 0; rank--) {
                if (status.isLost(rank)) why = "rank " + rank + " " + status.loss(rank) + " before it was ready";
            }
            leave(null, job);
            throw new BrokenPoolException(
                    "processes: " + (why.isEmpty() ? e.getMessage() : why + "; its output contains the reason"), e);
        }
    }

    private static void leave(@Nullable OwnedComm comm, WorkerJob job) {
        try {
            if (comm != null) comm.close();
        } catch (MpiException e) {
            // the job has failed; the tasks have already reported the failure
        }
        job.close();
    }

    private static RankPool threads(int n, Runnable atEnd) {
        CompletableFuture<RankPool> made = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1), over = new CountDownLatch(1);
        // the threads must have ended when `close` returns: an application may then close their class loader
        Runnable whenOver = () -> {
            awaitBriefly(over);
            atEnd.run();
        };
        Thread.ofPlatform().daemon().name("tutti-pool-threads").start(() -> {
            try {
                Tutti.local(n + 1, mpi -> lead(mpi, made, closed, whenOver));
            } catch (RuntimeException | Error e) {
                made.completeExceptionally(e);
            } finally {
                over.countDown();
            }
        });
        try {
            return made.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException why) throw why;
            throw e;
        }
    }

    private static void awaitBriefly(CountDownLatch latch) {
        try {
            latch.await(THREADS_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Runs one of the ranks that are threads. Rank 0 creates the pool, and then only waits until the pool is
    /// closed.
    private static void lead(Mpi mpi, CompletableFuture<RankPool> made, CountDownLatch closed, Runnable atEnd)
            throws InterruptedException {
        try (OwnedComm comm = mpi.world().dup(Wire.IDLE)) {
            comm.setName("POOL");
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

    /// Returns the number of ranks that run tasks. It decreases when workers die. Local.
    public int workerCount() {
        return dispatcher.workers();
    }

    /// Returns a service that supplies futures in order of completion. Local.
    public <R extends @Nullable Object> RankCompletionService<R> completionService() {
        return new RankCompletionService<>(this);
    }

    /// Returns a shared value, sent to each worker once, when a task first captures it. Local.
    ///
    /// @throws TaskRefusedException if a task of this pool calls this method, or the pool is closed
    public <T> SharedValue<T> share(T value) {
        return dispatcher.share(Objects.requireNonNull(value, "share: the value is null"));
    }

    /// Calls `function` on all workers together, each with a communicator of the workers. Returns the results,
    /// ordered by rank in this communicator. A worker first finishes the tasks that it has already received.
    /// Blocking.
    ///
    /// @throws TaskRefusedException as [#submit(RankFunction, Object)]
    /// @throws TaskFailedException of the first worker that has failed; other workers may wait for it forever
    ///     in a collective call
    /// @throws WorkerLostException if a worker has died before or during the call
    public <T extends @Nullable Object, R extends @Nullable Object> List<R> callOnAll(
            CommFunction<T, R> function, T argument) {
        Object[] definition = definition(function, null, "callOnAll");
        PoolJob job = new PoolJob(
                Wire.TOGETHER,
                Wire.ONCE,
                definition,
                0,
                0,
                false,
                dispatcher.pools(),
                "callOnAll",
                UserLine.here(),
                UserLine.frame());
        LinkedBlockingQueue<RankFuture<R>> ended = new LinkedBlockingQueue<>();
        List<RankFuture<R>> futures = new ArrayList<>();
        dispatcher.together("callOnAll", (place, ranks) -> {
            Object[] description = {argument, ranks};
            RankFuture<R> future = new RankFuture<>(dispatcher, job, place, description, ended, null);
            futures.add(future);
            return future.batch();
        });
        try {
            for (int i = 0; i < futures.size(); i++) ended.take().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallSites.refused("callOnAll", "interrupted while the workers were in it");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException why) throw why;
            throw new IllegalStateException(e);
        }
        return new ArrayList<>(futures.stream().map(RankFuture::join).toList());
    }

    /// Returns `RankPool, 4 workers, 2 tasks of futures have not ended`, or that the pool has ended and the
    /// reason. Local.
    @Override
    public String toString() {
        return "RankPool, " + dispatcher;
    }

    /// Waits until the tasks of all futures have ended. Blocking.
    public void awaitAll() throws InterruptedException {
        dispatcher.awaitSubmitted();
    }

    /// Ends the pool and dismisses the workers. Tasks that have not started are cancelled, and running tasks
    /// are interrupted. This method waits at most two seconds for tasks that do not react. A second call has no
    /// effect.
    ///
    /// @throws UnfinishedTasksException if unfinished tasks of futures were cancelled, because [#awaitAll] was
    ///     not called before; or if a task does not react
    @Override
    public void close() {
        long unfinished = closeDispatcher();
        if (unfinished == 0) return;
        throw new UnfinishedTasksException("close: " + cancelled(unfinished) + "; call awaitAll() before close()");
    }
}
