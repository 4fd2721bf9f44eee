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

/// The part of a pool on the leading rank. The submitting thread sends tasks directly while a worker has a free
/// slot, that is, can accept a further message. A second thread receives the answers, sleeps between answers,
/// and sends queued tasks to free workers.
final class Dispatcher {
    /// If the tasks of a worker's last message took less time than this, the worker is sent a second message in
    /// advance, so that it does not wait between messages.
    private static final long QUICK_NANOS = 1_000_000;

    /// Maximum number of queued tasks; `submit` waits while the queue is full.
    private static final int MOST_QUEUED = 1 << 16;

    /// Interval at which a full queue is checked. A notification for each task that begins would cost more than
    /// most tasks.
    private static final long FULL_MILLIS = 1;

    /// The number of bytes up to which an answer always arrives as a whole; a longer answer may have arrived
    /// only in part.
    private static final int SURELY_WHOLE = 1 << 10;

    /// Maximum time that `close` waits for interrupted tasks to end.
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

    /// Guarded by `this`, like all fields below.
    private final Map<Object, Long> functions = new IdentityHashMap<>();

    private final Map<Long, SharedValue<?>> shared = new HashMap<>();

    private final ArrayDeque<TaskBatch> queue = new ArrayDeque<>();

    private int next;

    /// The number of workers that have not died. Written only by the receiver.
    private volatile int alive;

    /// The number of workers that are alive and have not left the pool. Used only by the receiver.
    private int left;

    /// The sink that last received results. The thread that waits at this sink may not have been notified of
    /// all these results yet. Used only by the receiver.
    private TaskBatch.@Nullable Sink lastSink;

    /// The number of tasks with a future that have not ended.
    private long submitted;

    /// The number of the tasks in `submitted` that were cancelled but have not ended yet.
    private long cancelled;

    private boolean closing;
    private boolean abandoned;
    private boolean ended;
    private @Nullable RuntimeException broken;

    /// @param processes whether workers are other processes
    /// @param deaths the deaths of workers that the job survives
    /// @param atEnd runs after the last worker has left
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
    synchronized boolean hasFinished() {
        return ended;
    }

    boolean processes() {
        return processes;
    }

    /// Returns the id of this pool and the ids of [CurrentTask#pools].
    long[] pools() {
        return LongStream.concat(LongStream.of(id), LongStream.of(CurrentTask.pools()))
                .toArray();
    }

    /// Returns an unused number, for a new [PoolJob].
    long newJob() {
        return jobs.incrementAndGet();
    }

    /// Returns the job number (see [PoolJob]) of single tasks that call this function; [Wire#ONCE] if the
    /// function is a record or has captured values. Without captured values, the description is always the same
    /// object, so that all tasks with this function have the same job number.
    synchronized long jobOf(Object description) {
        if (description instanceof Record || ((Object[]) ((Object[]) description)[CallSites.CAPTURED]).length > 0)
            return Wire.ONCE;
        return functions.computeIfAbsent(description, _ -> newJob());
    }

    /// Sends a batch to a worker, now or when a worker is free.
    synchronized void offer(TaskBatch batch) {
        check(batch.job.operation());
        queue.add(batch);
        pump();
    }

    /// As [#offer], for a future. Waits first if the queue of unstarted tasks is full.
    synchronized void submit(TaskBatch batch) {
        String operation = batch.job.operation();
        check(operation);
        while (queue.size() >= MOST_QUEUED) {
            try {
                wait(FULL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CallSites.refused(operation, "interrupted while " + queue.size() + " tasks had not started");
            }
            check(operation);
        }
        submitted++;
        batch.isOfFuture = true;
        queue.add(batch);
        pump();
    }

    /// Called by the sink of a batch that was passed to [#submit], before any thread is notified that the task
    /// has ended.
    synchronized void futureCompleted(TaskBatch batch) {
        batch.isOfFuture = false;
        batch.arguments[0] = null; // the future may live longer than the argument is needed
        batch.send = null;
        if (batch.unwanted) cancelled--;
        if (--submitted == 0) notifyAll();
    }

    /// Waits until all tasks with a future have ended.
    synchronized void awaitSubmitted() throws InterruptedException {
        while (submitted > 0) wait();
    }

    /// Sends a batch to every living worker immediately; a worker runs it after the batches that the worker
    /// already has.
    ///
    /// @param batch creates the batch of a worker from the worker's index and the ranks of all workers
    synchronized void together(String operation, BiFunction<Integer, int[], TaskBatch> batch) {
        check(operation);
        // the job status may already list a death that the receiver has not handled yet, for example after a
        // failed call of this method
        WorkerState[] all = living(w -> !deaths.isDead(w.rank));
        if (all.length == 0) all = living(_ -> true); // the tasks are reported as lost
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
                    "called by a task, which would wait for a worker that is waiting for the task; return the results and"
                            + " submit the new tasks where the pool was opened (RankPool.completionService), or open"
                            + " RankPool.threads(n) in the task");
        }
        RuntimeException why = broken;
        if (why != null) throw new BrokenPoolException(operation + ": the pool has ended: " + why.getMessage(), why);
        if (closing) throw CallSites.refused(operation, "the pool was closed");
    }

    /// Cancels a batch: it does not begin, or it is interrupted.
    synchronized void cancel(TaskBatch batch) {
        if (batch.unwanted) return;
        batch.unwanted = true;
        if (batch.isOfFuture) cancelled++;
        // after `closing`, no control message may follow: workers have received the total number of these
        // messages
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

    /// Returns a worker without batches; if all workers have batches, a worker with a free slot; null if no
    /// slot is free. The search starts after the worker at which the previous search ended, so that workers
    /// take turns.
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
            refuse(batch, e.toString()); // thrown by an accessor of a record
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

    /// Sends the shared values that the functions capture and that the worker does not have yet. Returns false
    /// if a value cannot be sent; then the batch has failed.
    private boolean share(TaskBatch batch, @Nullable Object[] functions, WorkerState worker) {
        for (Object description : functions) {
            if (!(description instanceof Object[] all)) continue;
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

    /// Handles a batch if one of its parts cannot be encoded. If the batch has one task, the task fails. A
    /// batch of several tasks is split, and each task is sent again separately, because most of the tasks may
    /// be valid.
    private void refuse(TaskBatch batch, String why) {
        if (batch.arguments.length == 1) {
            String text = batch.job.operation() + ": the argument of task " + batch.first + " is not a value: "
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
        wakeOther(null);
        boolean isAbandoned;
        synchronized (this) {
            ended = true;
            isAbandoned = abandoned;
            notifyAll();
        }
        if (isAbandoned) atEnd.run();
    }

    /// Returns the next answer, or null if workers have died instead.
    private PoolLink.@Nullable Answer next() {
        try {
            if (!deaths.areNew()) {
                PoolLink.Answer answer = link.pollAny();
                if (answer != null) return answer;
                wakeOther(null);
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

    /// Wakes the thread that waits at the sink that last received results, unless the next answer is for the
    /// same sink. Without this, that thread might wait as long as answers for other sinks arrive, which may be
    /// forever.
    ///
    /// @param sink the sink of the next answer; null if that answer is missing, incomplete or unreadable
    private void wakeOther(TaskBatch.@Nullable Sink sink) {
        if (lastSink != null && lastSink != sink) lastSink.wake();
        lastSink = sink;
    }

    /// Handles the death of a worker. Answers that the worker had sent are processed first.
    private void lose(WorkerState worker) {
        for (PoolLink.Answer a; (a = link.poll(worker.rank)) != null; ) take(worker, a);
        worker.dead = true;
        int living = alive - 1;
        alive = living;
        if (!worker.left) left--;
        for (TaskBatch b : worker.under) awaitSend(b);
        String how = deaths.how(worker.rank);
        String others = living + " of " + workers.length + (living == 1 ? " workers continues" : " workers continue");
        ArrayDeque<TaskBatch> again = new LostTasks(worker, deaths.started(worker.rank), how, others).settle();
        for (TaskBatch b = again.pollLast(); b != null; b = again.pollLast()) {
            if (closing) b.cancel();
            else queue.addFirst(b);
        }
        String all = workers.length == 1
                ? "the worker, rank "
                : "all " + workers.length + " workers have died, the last was rank ";
        if (living == 0 && !closing) {
            fail(new IllegalStateException(all + worker.rank + (workers.length == 1 ? ", " : ", which ") + how));
        }
    }

    private static void awaitSend(TaskBatch batch) {
        PoolLink.Pending send = batch.send;
        if (send == null) return;
        batch.send = null;
        try {
            send.await();
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) throw e;
        }
    }

    private void take(WorkerState worker, PoolLink.Answer message) {
        long bytes = message.bytes();
        if (bytes > SURELY_WHOLE) wakeOther(null); // receiving the remainder may take long
        Object[] answer;
        try {
            answer = message.receive();
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e;
            if (WorkerDeaths.isDeath(e)) return; // the answer is incomplete
            unreadable(worker, String.valueOf(e.getMessage()));
            return;
        } catch (RuntimeException | StackOverflowError e) {
            unreadable(worker, e.toString()); // thrown by a constructor of a record
            return;
        }
        if (answer == null || !(answer[0] instanceof long[] head)) throw new IllegalStateException("no answer");
        if (head[Wire.KIND] == Wire.REPORT) {
            wakeOther(null);
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

    /// Handles an unreadable answer. Only an answer with values can be unreadable. If the worker has announced
    /// an answer for each task ([Wire#PARTS]), the unreadable answer is that of the next task; otherwise it is
    /// the last answer of the batch.
    private synchronized void unreadable(WorkerState worker, String why) {
        TaskBatch batch = worker.under.peek();
        if (batch == null) throw new IllegalStateException(why);
        wakeOther(null);
        String text = batch.job.name() + ": a result cannot be read on this rank: " + ValueTexts.path(why);
        if (batch.inParts) {
            batch.failNext(new TaskRefusedException(text));
            return;
        }
        worker.under.remove();
        awaitSend(batch);
        String more = batch.arguments.length > 1 ? "; with withChunkSize(1) only that task fails" : "";
        batch.fail(new TaskRefusedException(text + more));
        pump();
    }

    private void answered(WorkerState worker, long[] head, Object[] answer, long bytes) {
        int kind = (int) head[Wire.KIND];
        boolean isLast = kind != Wire.PART && kind != Wire.PARTS;
        TaskBatch batch = isLast ? worker.under.remove() : worker.under.element();
        awaitSend(batch); // short, because the worker has the batch; must precede a PART that completes the future
        wakeOther(kind == Wire.UNKNOWN || kind == Wire.UNREADABLE ? null : batch.sink);
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
                batch.publish(worker.rank, link.size(), first, (Object[]) answer[1], (Object[]) answer[2]);
                if (kind == Wire.PART) {
                    batch.answered = first + 1;
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

    /// Fails all tasks that have not ended. Called under the lock.
    private void fail(RuntimeException why) {
        if (broken != null) return;
        broken = why;
        BrokenPoolException lastSink =
                new BrokenPoolException("the pool has ended before all tasks have: " + why.getMessage(), why);
        for (WorkerState w : workers)
            for (TaskBatch b = w.under.poll(); b != null; b = w.under.poll()) b.fail(lastSink);
        for (TaskBatch b = queue.poll(); b != null; b = queue.poll()) b.fail(lastSink);
        notifyAll();
    }

    // ---- the end

    /// Cancels tasks that have not started, interrupts running tasks, and dismisses the workers. A second call
    /// has no effect. Returns the number of tasks of futures that were pending or running at this call.
    ///
    /// @throws UnfinishedTasksException if tasks have not reacted to the interrupt; the pool ends when these
    ///     tasks end
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
            throw new UnfinishedTasksException("close: " + running
                    + " does not react to the interrupt; let the task poll CurrentTask.isCancelled()");
        }
        atEnd.run();
        return unfinished;
    }

    /// Cancels queued tasks and stops the workers. Returns the value that [#close] returns, or -1 in a second
    /// call.
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

    /// Returns the state of the pool, without a name.
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
