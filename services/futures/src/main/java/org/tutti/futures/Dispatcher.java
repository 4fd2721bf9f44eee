package org.tutti.futures;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.MpiException;

/// The leading rank's side of a pool. Whoever gives tasks sends them, while a worker has room; one thread
/// receives answers, sleeps in between, and sends what waits to whom is free.
final class Dispatcher {
    /// Whose tasks take less has a second message, so that it need not wait for one.
    private static final long QUICK_NANOS = 1_000_000;

    /// `submit` waits while so many have not begun.
    private static final int MOST_QUEUED = 1 << 16;

    /// Until it looks again. To be woken for each that begins would take longer than most tasks.
    private static final long FULL_MILLIS = 1;

    /// An answer of more bytes may be there in part alone.
    private static final int SURELY_WHOLE = 1 << 10;

    /// How long tasks may take to notice that they were cancelled, until `close` goes on without them.
    private static final long PATIENCE_MILLIS = 2_000;

    private final PoolLink link;
    private final boolean processes;
    private final WorkerDeaths deaths;
    private final Runnable atEnd;
    private final WorkerState[] workers;
    private final Thread receiver;
    private final AtomicLong jobs = new AtomicLong();

    /// The identifier of this pool, unique in the job.
    private final long id = RandomGenerator.getDefault().nextLong();

    /// Guarded by this, as all below.
    private final Map<Object, Long> functions = new IdentityHashMap<>();

    private final Map<Long, SharedValue<?>> shared = new HashMap<>();

    private final ArrayDeque<TaskBatch> queue = new ArrayDeque<>();

    private int next;

    /// Workers that have not died. The receiver alone changes it.
    private volatile int alive;

    /// The receiver's: workers that have not gone, by death or at the end.
    private int left;

    /// The receiver's: who was told of results last, and has not been woken for all of them.
    private TaskBatch.@Nullable Sink told;

    /// Tasks of futures that have not ended.
    private long submitted;

    /// Those of them that their users have cancelled, and that have not heard of it.
    private long cancelled;

    private boolean closing;
    private boolean abandoned;
    private boolean ended;
    private @Nullable RuntimeException broken;

    /// @param processes whether workers are other processes
    /// @param deaths of workers, as far as the job outlives them
    /// @param atEnd what is done once the last worker has left
    Dispatcher(PoolLink link, boolean processes, WorkerDeaths deaths, Runnable atEnd) {
        this.link = link;
        this.deaths = deaths;
        this.processes = processes;
        this.atEnd = atEnd;
        workers = new WorkerState[link.size() - 1];
        for (int i = 0; i < workers.length; i++) workers[i] = new WorkerState(i < link.rank() ? i : i + 1);
        alive = workers.length;
        left = workers.length;
        receiver = Thread.ofPlatform().daemon().name("tutti-pool").unstarted(this::receive);
        receiver.start();
    }

    int workers() {
        return alive;
    }

    /// Returns whether all workers have left or died.
    synchronized boolean hasEnded() {
        return ended;
    }

    boolean processes() {
        return processes;
    }

    /// Returns the ids of this pool and of the pools whose tasks are waiting for the calling thread.
    long[] pools() {
        return LongStream.concat(LongStream.of(id), LongStream.of(CurrentTask.pools()))
                .toArray();
    }

    /// The number of a new job.
    long newJob() {
        return jobs.incrementAndGet();
    }

    /// The number of the job that is the function alone, for functions without captured values: their words
    /// are the same object each time.
    synchronized long jobOf(Object words) {
        if (words instanceof Record || ((Object[]) ((Object[]) words)[CallSites.CAPTURED]).length > 0) return Wire.ONCE;
        return functions.computeIfAbsent(words, _ -> newJob());
    }

    /// Gives a batch to a worker, now or when one is free.
    synchronized void offer(TaskBatch batch) {
        check(batch.job.operation());
        queue.add(batch);
        pump();
    }

    /// As [#offer], of a future; waits before while very many have not begun.
    synchronized void submit(TaskBatch batch) {
        String operation = batch.job.operation();
        check(operation);
        while (queue.size() >= MOST_QUEUED) {
            try {
                wait(FULL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CallSites.refused(operation, "interrupted while " + queue.size() + " tasks had not begun");
            }
            check(operation);
        }
        submitted++;
        batch.isOfFuture = true;
        queue.add(batch);
        pump();
    }

    /// By the sink of a batch that was given to [#submit], before anybody hears of the end.
    synchronized void submittedHasEnded(TaskBatch batch) {
        batch.isOfFuture = false;
        batch.arguments[0] = null; // a future lives as long as its user wants, and so would they
        batch.send = null;
        if (batch.unwanted) cancelled--;
        if (--submitted == 0) notifyAll();
    }

    /// Returns when the tasks of all futures have ended.
    synchronized void awaitSubmitted() throws InterruptedException {
        while (submitted > 0) wait();
    }

    /// Gives each worker a batch at once, in front of nothing and behind all that it has.
    ///
    /// @param batch of the worker at a place, by the ranks of all
    synchronized void together(String operation, BiFunction<Integer, int[], TaskBatch> batch) {
        check(operation);
        // another worker may have told what it has come to before this rank has heard why
        WorkerState[] all = living(w -> !deaths.isDead(w.rank));
        if (all.length == 0) all = living(_ -> true); // their tasks are told as lost
        int[] ranks = Arrays.stream(all).mapToInt(w -> w.rank).toArray();
        for (int i = 0; i < all.length; i++) send(batch.apply(i, ranks), all[i]);
    }

    private WorkerState[] living(Predicate<WorkerState> which) {
        return Arrays.stream(workers).filter(w -> !w.dead).filter(which).toArray(WorkerState[]::new);
    }

    private void check(String operation) {
        if (CurrentTask.isWithin(id)) {
            throw CallSites.refused(
                    operation,
                    "called by a task, which would wait for a worker that waits for it; return what is to be done, and let"
                            + " the caller give it to the pool, as RankPool.completion() shows");
        }
        RuntimeException why = broken;
        if (why != null) throw new BrokenPoolException(operation + ": the pool has ended: " + why.getMessage(), why);
        if (closing) throw CallSites.refused(operation, "the pool was closed");
    }

    /// Nobody wants the batch any more: it does not begin, or it is interrupted.
    synchronized void cancel(TaskBatch batch) {
        if (batch.unwanted) return;
        batch.unwanted = true;
        if (batch.isOfFuture) cancelled++;
        // once the pool is closing, workers have been told how many controls there are
        if (batch.worker >= 0 && broken == null && !closing) interrupt(workers[batch.worker], batch);
    }

    private void interrupt(WorkerState worker, TaskBatch batch) {
        if (worker.dead || !worker.under.contains(batch)) return;
        try {
            link.send(new long[] {batch.serial}, worker.rank, Wire.CONTROL).await();
            worker.controls++;
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) fail(e);
        }
    }

    private void pump() {
        while (!queue.isEmpty()) {
            TaskBatch batch = queue.peek();
            if (batch.unwanted || closing) { // stopping workers receive no further tasks
                queue.poll();
                batch.cancel();
                continue;
            }
            WorkerState worker = freest();
            if (worker == null) break;
            queue.poll();
            send(batch, worker);
        }
    }

    /// Who has room and least to do, in turns; null when nobody has.
    private @Nullable WorkerState freest() {
        WorkerState best = null;
        for (int i = 0; i < workers.length; i++) {
            WorkerState w = workers[next];
            next = next + 1 == workers.length ? 0 : next + 1;
            if (w.room() <= 0) continue;
            if (w.under.isEmpty()) return w;
            if (best == null) best = w;
        }
        return best;
    }

    private void send(TaskBatch batch, WorkerState worker) {
        if (broken != null) {
            batch.fail(broken);
            return;
        }
        PoolJob job = batch.job;
        boolean known = job.definition() == null || job.id() != Wire.ONCE && worker.jobs.get(job.id()) != null;
        if (job.kind() == Wire.CALL && !share(batch, batch.arguments, worker)) return;
        if (!known && job.definition() != null && !share(batch, job.definition(), worker)) return;
        Object[] message = {
            job.head(batch.first), job.kind() == Wire.CALL ? job.name() : known ? null : job.named(), batch.arguments
        };
        try {
            batch.send = link.send(message, worker.rank, Wire.TASK);
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) {
                fail(e);
                batch.fail(new BrokenPoolException(job.operation() + ": the pool has ended", e));
            } else {
                refuse(batch, String.valueOf(e.getMessage()));
            }
            return;
        } catch (RuntimeException | StackOverflowError e) {
            refuse(batch, e.toString()); // of an accessor of a record
            return;
        }
        if (!known && job.id() != Wire.ONCE) worker.jobs.put(job.id(), Boolean.TRUE);
        batch.inParts = false; // left over from a previous worker
        batch.worker = place(worker);
        batch.serial = ++worker.messages;
        worker.under.add(batch);
    }

    // ---- shared values

    synchronized <T> SharedValue<T> share(T value) {
        check("share");
        SharedValue<T> made = new SharedValue<>(newJob(), this, value);
        shared.put(made.id(), made);
        return made;
    }

    synchronized void unshare(SharedValue<?> value) {
        shared.remove(value.id());
        if (closing || broken != null) return;
        for (WorkerState w : workers) {
            if (!w.dead && w.shared.remove(value.id())) send(new ShareEnd().batch(Wire.UNSHARE, value.id(), null), w);
        }
    }

    /// Sends what the functions share and the worker does not have. False when that cannot be: the batch has
    /// failed.
    private boolean share(TaskBatch batch, @Nullable Object[] functions, WorkerState worker) {
        for (Object words : functions) {
            if (!(words instanceof Object[] all)) continue;
            long[] ids = (long[]) all[CallSites.SHARED];
            for (int i = 0; i < ids.length; i++) {
                long id = ids[i];
                if (id == CallSites.FUNCTION) {
                    Object inner = ((Object[]) all[CallSites.CAPTURED])[i];
                    if (!share(batch, new @Nullable Object[] {inner}, worker)) return false;
                    continue;
                }
                if (id == 0 || worker.shared.contains(id)) continue;
                SharedValue<?> value = shared.get(id);
                ShareEnd end = new ShareEnd();
                if (value == null)
                    end.failed(0, new TaskRefusedException(batch.job.name() + ": the shared value was closed"));
                else send(end.batch(Wire.SHARE, id, value.get()), worker);
                if (end.failure != null) {
                    batch.fail(end.failure);
                    return false;
                }
                worker.shared.add(id);
            }
        }
        return true;
    }

    private int place(WorkerState worker) {
        return worker.rank < link.rank() ? worker.rank : worker.rank - 1;
    }

    /// Something in it does not travel: of several tasks each is tried alone, since most of them may.
    private void refuse(TaskBatch batch, String why) {
        if (batch.arguments.length == 1) {
            String text = batch.job.operation() + ": what task " + batch.first + " is to be sent is no value: "
                    + ValueTexts.sent(why);
            String line = batch.job.line();
            batch.fail(new TaskRefusedException(text + (line.isEmpty() ? "" : " (" + line + ")")));
            return;
        }
        for (int i = batch.arguments.length - 1; i >= 0; i--) {
            TaskBatch single = new TaskBatch(batch.job, batch.sink, batch.first + i, batch.arguments[i]);
            single.unwanted = batch.unwanted;
            single.firstLoss = batch.firstLoss;
            batch.sink.begins(single);
            queue.addFirst(single);
        }
        batch.sink.ended(batch, 0, 0);
    }

    // ---- answers

    private void receive() {
        try {
            while (left > 0) {
                PoolLink.Answer answer = next();
                if (answer == null) continue;
                int source = answer.source();
                take(workers[source < link.rank() ? source : source - 1], answer);
            }
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                fail(e instanceof RuntimeException r ? r : new IllegalStateException(e));
            }
        }
        hears(null);
        boolean alone;
        synchronized (this) {
            ended = true;
            alone = abandoned;
            notifyAll();
        }
        if (alone) atEnd.run();
    }

    /// The next answer; null when workers have died instead.
    private PoolLink.@Nullable Answer next() {
        try {
            if (!deaths.areNew()) {
                PoolLink.Answer answer = link.pollAny();
                if (answer != null) return answer;
                hears(null);
                return link.await();
            }
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) throw e;
            deaths.areNew();
        }
        synchronized (this) {
            for (WorkerState w : workers) if (!w.dead && deaths.isDead(w.rank)) lose(w);
            if (broken == null) pump();
        }
        return null;
    }

    /// Who waits for results of another map, or of any where none is told of now, is woken: what comes
    /// instead may come without end.
    private void hears(TaskBatch.@Nullable Sink sink) {
        if (told != null && told != sink) told.wake();
        told = sink;
    }

    /// A worker has died: all that it has sent before counts.
    private void lose(WorkerState worker) {
        for (PoolLink.Answer a; (a = link.poll(worker.rank)) != null; ) take(worker, a);
        worker.dead = true;
        int living = alive - 1;
        alive = living;
        if (!worker.left) left--;
        for (TaskBatch b : worker.under) awaitSend(b);
        String how = deaths.how(worker.rank);
        String others = living + " of " + workers.length + (living == 1 ? " workers goes on" : " workers go on");
        ArrayDeque<TaskBatch> again = new LostTasks(worker, deaths.begun(worker.rank), how, others).settle();
        for (TaskBatch b = again.pollLast(); b != null; b = again.pollLast()) {
            if (closing) b.cancel();
            else queue.addFirst(b);
        }
        String all = workers.length == 1
                ? "its worker, rank "
                : "all " + workers.length + " workers have died, at last rank ";
        if (living == 0 && !closing) {
            fail(new IllegalStateException(all + worker.rank + (workers.length == 1 ? ", " : ", which ") + how));
        }
    }

    private static void awaitSend(TaskBatch batch) {
        try {
            if (batch.send != null) batch.send.await();
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) throw e;
        }
    }

    private void take(WorkerState worker, PoolLink.Answer message) {
        long bytes = message.bytes();
        if (bytes > SURELY_WHOLE) hears(null); // the rest of it may take long
        Object[] answer;
        try {
            answer = message.receive();
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e;
            if (WorkerDeaths.isDeath(e)) return; // it had not sent it whole
            unreadable(worker, String.valueOf(e.getMessage()));
            return;
        } catch (RuntimeException | StackOverflowError e) {
            unreadable(worker, e.toString()); // of a record's constructor
            return;
        }
        if (answer == null || !(answer[0] instanceof long[] head)) throw new IllegalStateException("no answer");
        if (head[Wire.KIND] == Wire.REPORT) {
            hears(null);
            report(worker, (String) ((Object[]) answer[1])[0]);
            return;
        }
        synchronized (this) {
            if (head[Wire.KIND] == Wire.BYE) {
                worker.left = true;
                left--;
                return;
            }
            answered(worker, head, answer, bytes);
            pump();
        }
    }

    private void report(WorkerState worker, String text) {
        TaskBatch batch;
        synchronized (this) {
            batch = worker.under.peek();
        }
        if (batch != null) batch.sink.reported(text, worker.rank);
    }

    /// Only an answer with values can be unreadable: after PARTS the part of the next task, else the last
    /// answer.
    private synchronized void unreadable(WorkerState worker, String why) {
        TaskBatch batch = worker.under.peek();
        if (batch == null) throw new IllegalStateException(why);
        hears(null);
        String text = batch.job.name() + ": a result cannot be read on this rank: " + ValueTexts.path(why);
        if (batch.inParts) {
            batch.failNext(new TaskRefusedException(text));
            return;
        }
        worker.under.remove();
        awaitSend(batch);
        String more = batch.arguments.length > 1 ? "; with chunk(1) it costs that task alone" : "";
        batch.fail(new TaskRefusedException(text + more));
        pump();
    }

    private void answered(WorkerState worker, long[] head, Object[] answer, long bytes) {
        int kind = (int) head[Wire.KIND];
        boolean isLast = kind != Wire.PART && kind != Wire.PARTS;
        TaskBatch batch = isLast ? worker.under.remove() : worker.under.element();
        if (isLast) awaitSend(batch); // it has been received
        hears(kind == Wire.UNKNOWN || kind == Wire.UNREADABLE ? null : batch.sink);
        switch (kind) {
            case Wire.PARTS -> batch.inParts = true;
            case Wire.UNKNOWN -> {
                worker.jobs.remove(batch.job.id());
                again(batch);
            }
            case Wire.UNREADABLE -> {
                worker.jobs.remove(batch.job.id());
                String why = "cannot be rebuilt on rank " + worker.rank + ": "
                        + ValueTexts.path((String) ((Object[]) answer[1])[0]);
                refuse(batch, why);
            }
            default -> {
                int first = (int) head[Wire.ANSWER_FIRST];
                batch.tell(worker.rank, link.size(), first, (Object[]) answer[1], (Object[]) answer[2]);
                if (kind == Wire.PART) {
                    batch.told = first + 1;
                    return;
                }
                worker.quick = head[Wire.NANOS] < QUICK_NANOS;
                batch.sink.ended(batch, head[Wire.NANOS], head[Wire.BYTES] + bytes);
            }
        }
    }

    private void again(TaskBatch batch) {
        batch.worker = -1;
        queue.addFirst(batch);
    }

    /// Under the lock: all that is not done fails.
    private void fail(RuntimeException why) {
        if (broken != null) return;
        broken = why;
        BrokenPoolException told =
                new BrokenPoolException("the pool has ended before its tasks have: " + why.getMessage(), why);
        for (WorkerState w : workers) for (TaskBatch b = w.under.poll(); b != null; b = w.under.poll()) b.fail(told);
        for (TaskBatch b = queue.poll(); b != null; b = queue.poll()) b.fail(told);
        notifyAll();
    }

    // ---- the end

    /// What has not begun never does, what runs is interrupted, and workers leave. A second call does
    /// nothing. Returns how many tasks of futures had neither ended nor been cancelled.
    ///
    /// @throws IllegalStateException when tasks have not noticed that they were interrupted; the pool then
    ///     ends when they do
    long close() {
        long unfinished = beginClose();
        if (unfinished < 0) return 0;
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        String running = "";
        synchronized (this) {
            while (!ended && System.nanoTime() < end) {
                try {
                    wait(10);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (!ended) {
                abandoned = true;
                running = running();
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        if (!running.isEmpty()) {
            throw new IllegalStateException("close: " + running + " does not react to its interrupt; a task that asks"
                    + " CurrentTask.isCancelled() now and then hears that it is to end");
        }
        atEnd.run();
        return unfinished;
    }

    /// Cancels queued tasks and stops the workers. Returns what [#close] returns, or -1 in a second call.
    synchronized long beginClose() {
        if (closing) return -1;
        closing = true;
        long unfinished = submitted - cancelled;
        for (TaskBatch b = queue.poll(); b != null; b = queue.poll()) b.cancel();
        for (WorkerState w : workers) if (broken == null) stop(w);
        notifyAll();
        return unfinished;
    }

    private void stop(WorkerState worker) {
        if (worker.dead) return;
        for (TaskBatch b : worker.under) interrupt(worker, b);
        try {
            Object[] message = {new long[] {Wire.STOP, worker.controls}, null, null};
            link.send(message, worker.rank, Wire.TASK).await();
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) fail(e);
        }
    }

    /// Of the pool, without its name.
    @Override
    public synchronized String toString() {
        if (broken != null) return "ended: " + broken.getMessage();
        if (closing) return "closed";
        return alive + (alive == 1 ? " worker, " : " workers, ")
                + (submitted == 1 ? "1 task of a future has" : submitted + " tasks of futures have") + " not ended";
    }

    private String running() {
        for (WorkerState w : workers) {
            TaskBatch b = w.under.peek();
            if (b != null) return "task " + b.first + " of " + b.job.name() + " on rank " + w.rank;
        }
        return "a worker";
    }
}
