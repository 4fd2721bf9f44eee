package org.tutti.futures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.RankProcess;
import org.tutti.mpi.Comm;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Received;

/// A rank that runs tasks on the calling thread, until the leading rank stops it.
final class Worker {
    private static final Object[] NONE = {};

    /// The decoded definition of a job.
    private record Code(Object function, @Nullable Object operator, String name) {}

    /// The results of a message.
    private static final class BatchResults {
        final @Nullable Object[] values;
        final List<Object> failures = new ArrayList<>();

        BatchResults(int count) {
            values = new @Nullable Object[count];
        }
    }

    private final Comm comm;
    private final int leader;
    private final TaskCode sites;
    private final RememberedJobs<Code> jobs = new RememberedJobs<>();
    private final Map<Long, SharedValue<?>> shared = new HashMap<>();
    private final TaskWatch watch;
    private final CurrentTask task;
    /// Publishes the current task; null if this worker publishes no tasks.
    private final @Nullable RankProcess process;

    private @Nullable OwnedComm workers;
    private int[] workerRanks = {};

    /// The reason why no communicator of `workerRanks` could be created.
    private @Nullable RuntimeException failureOfComm;
    private long serial;
    private String shownName = "";

    private Worker(Comm comm, int leader, @Nullable RankProcess process) {
        this.comm = comm;
        this.process = process;
        this.leader = leader;
        sites = new TaskCode(Thread.currentThread().getContextClassLoader(), shared::get);
        watch = new TaskWatch(comm, leader);
        task = new CurrentTask(watch, this::report);
    }

    /// Runs tasks until the pool is closed.
    ///
    /// @param process the current process, if it publishes the tasks of this pool; otherwise null, for example if
    ///     workers are threads
    static void serve(Comm comm, int leader, @Nullable RankProcess process) {
        Worker worker = new Worker(comm, leader, process);
        try {
            while (worker.serveOne()) {}
        } finally {
            if (worker.workers != null) worker.workers.close();
        }
    }

    /// Returns false after the last message.
    private boolean serveOne() {
        Received<Object[]> message;
        try {
            message = comm.recvObjectWithStatus(Object[].class, leader, Wire.TASK);
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e;
            serial++;
            unreadable(String.valueOf(e.getMessage()));
            return true;
        } catch (RuntimeException | StackOverflowError e) {
            serial++;
            unreadable(e.toString()); // thrown by a constructor of a record
            return true;
        }
        Object[] parts = message.value();
        if (parts == null || !(parts[0] instanceof long[] head)) throw new IllegalStateException("no task message");
        if (head[Wire.KIND] == Wire.STOP) {
            leave(head[1]);
            return false;
        }
        serial++;
        Object[] arguments = parts[2] instanceof Object[] a ? a : NONE;
        switch ((int) head[Wire.KIND]) {
            case Wire.SHARE -> share(new SharedValue<>(head[Wire.JOB], null, arguments[0]));
            case Wire.UNSHARE -> unshare(head[Wire.JOB]);
            default -> run(head, parts[1], arguments, message.status().sizeBytes());
        }
        return true;
    }

    private void share(SharedValue<?> value) {
        shared.put(value.id(), value);
        answer(Wire.DONE, 0, 0, 0, new @Nullable Object[] {null}, NONE);
    }

    /// Removes a shared value, and clears the reference from the [SharedValue] to the value, because remembered
    /// functions may still refer to the [SharedValue].
    private void unshare(long id) {
        SharedValue<?> value = shared.remove(id);
        if (value != null) value.forget();
        answer(Wire.DONE, 0, 0, 0, new @Nullable Object[] {null}, NONE);
    }

    private void leave(long controls) {
        try {
            watch.stop(controls);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the program has interrupted this thread, to end the rank
        }
        answer(Wire.BYE, 0, 0, 0, NONE, NONE);
    }

    private void unreadable(String why) {
        answer(Wire.UNREADABLE, 0, 0, 0, new Object[] {why}, NONE);
    }

    private void answer(int kind, int first, long nanos, long bytes, @Nullable Object[] values, Object[] failures) {
        Object[] answer = {new long[] {kind, first, nanos, bytes}, values, failures};
        comm.sendObject(answer, leader, Wire.ANSWER);
    }

    private void report(String text) {
        answer(Wire.REPORT, 0, 0, 0, new Object[] {text}, NONE);
    }

    private void run(long[] head, @Nullable Object definition, Object[] arguments, long bytes) {
        Code code = null;
        String refused = "";
        if (head[Wire.KIND] != Wire.CALL) {
            try {
                code = code(head[Wire.JOB], definition);
            } catch (TaskRefusedException | ClassCastException e) {
                refused = String.valueOf(e.getMessage());
            }
            if (code == null && refused.isEmpty()) {
                answer(Wire.UNKNOWN, 0, 0, 0, NONE, NONE);
                return;
            }
        }
        if (process != null) publishTasks(head, code == null ? String.valueOf(definition) : code.name);
        long begin = System.nanoTime();
        BatchResults results = new BatchResults(arguments.length);
        task.enter(Arrays.copyOfRange(head, Wire.POOLS, head.length));
        watch.begin(serial);
        try {
            for (int i = 0; i < arguments.length; i++) {
                if (refused.isEmpty()) runOne(head, code, arguments, i, results);
                else results.failures.add(TaskFailures.row(i, Wire.REFUSED, refused, null));
            }
        } finally {
            watch.end();
            task.leave();
        }
        send(results, System.nanoTime() - begin, bytes);
        if (process != null) process.started(serial << Integer.SIZE);
    }

    /// Publishes the current tasks, so that they are known if the process dies.
    private void publishTasks(long[] head, String name) {
        if (process != null) process.tasks(head[Wire.FIRST], name.equals(shownName) ? null : name);
        shownName = name;
    }

    /// Returns null if the job is unknown and the message has no definition.
    private @Nullable Code code(long job, @Nullable Object definition) {
        if (!(definition instanceof Object[] description)) return jobs.get(job);
        Object operator = description[1] == null ? null : sites.function(description[1]);
        Code code = new Code(sites.function(description[0]), operator, String.valueOf(description[2]));
        if (job != Wire.ONCE) jobs.put(job, code);
        return code;
    }

    /// Runs one task. Any throwable of the task ends the task, but not the worker.
    private void runOne(long[] head, @Nullable Code code, Object[] arguments, int i, BatchResults results) {
        if (watch.isCancelled()) {
            results.failures.add(TaskFailures.row(i, Wire.CANCELLED, "", null));
            return;
        }
        if (process != null) process.started(serial << Integer.SIZE | i + 1);
        task.begin(head[Wire.FIRST] + i, head[Wire.SEED]);
        long timeout = head[Wire.TIMEOUT_NANOS];
        if (timeout != 0) watch.beginTask(timeout);
        Object value = null;
        Object[] failure = null;
        try {
            value = call(head, code, arguments[i]);
        } catch (FoldFailure e) {
            failure = TaskFailures.row(i, Wire.FAILED, e.element(), e.getCause());
        } catch (TaskRefusedException e) {
            failure = TaskFailures.row(i, Wire.REFUSED, String.valueOf(e.getMessage()), null);
        } catch (Throwable e) {
            failure = TaskFailures.row(i, Wire.FAILED, "", e);
        }
        boolean late = timeout != 0 && watch.endTask();
        if (watch.isCancelled()) failure = TaskFailures.row(i, Wire.CANCELLED, "", null);
        else if (late) failure = TaskFailures.row(i, Wire.TIMEOUT, "interrupted after " + timeout / 1e9 + " s", null);
        if (failure == null) results.values[i] = value;
        else results.failures.add(failure);
    }

    /// Calls the function. The types are checked only where the task is submitted. If a type does not match
    /// here, the call throws a ClassCastException, which counts as a failure of the task.
    @SuppressWarnings({"unchecked", "NullAway"}) // the cast hides that null is a valid value
    private @Nullable Object call(long[] head, @Nullable Code code, @Nullable Object argument) throws Exception {
        if (code == null) return ((Callable<Object>) sites.function(argument)).call();
        if (head[Wire.KIND] == Wire.TOGETHER) {
            if (!(argument instanceof Object[] description) || !(description[1] instanceof int[] ranks)) {
                throw new TaskRefusedException("not a description of a task for all workers");
            }
            return ((CommFunction<Object, Object>) code.function).apply(workers(ranks), description[0]);
        }
        RankFunction<Object, Object> function = (RankFunction<Object, Object>) code.function;
        if (head[Wire.KIND] != Wire.FOLD) return function.apply(argument);
        return fold(function, code.operator, argument);
    }

    /// Runs a chunk of a reduction. The array `items` contains the number of the chunk's first element,
    /// followed by the elements.
    @SuppressWarnings({"unchecked", "NullAway"})
    private @Nullable Object fold(
            RankFunction<Object, Object> function, @Nullable Object combine, @Nullable Object items) throws Exception {
        if (!(combine instanceof RankOperator<?> c) || !(items instanceof Object[] chunk)) {
            throw new TaskRefusedException("not a description of a reduction");
        }
        RankOperator<Object> operator = (RankOperator<Object>) c;
        Object sum = null;
        for (int i = 1; i < chunk.length; i++) {
            if (watch.isCancelled()) return null;
            long element = (Long) chunk[0] + i - 1;
            try {
                task.begin(element, task.seed());
                Object value = function.apply(chunk[i]);
                sum = i == 1 ? value : operator.apply(sum, value);
            } catch (Throwable e) {
                throw new FoldFailure(element, e);
            }
        }
        return sum;
    }

    /// States which element of a chunk has failed.
    private static final class FoldFailure extends Exception {
        private static final long serialVersionUID = 1;

        private final long element;

        FoldFailure(long element, Throwable cause) {
            super(cause);
            this.element = element;
        }

        String element() {
            return Long.toString(element);
        }
    }

    /// Returns the communicator of the workers. All workers call this method in the same order, since all get
    /// the same tasks of this kind. Each rank tries to create a communicator of the same ranks only once: after
    /// a failure, no other rank would take part in a second attempt.
    ///
    /// @param ranks the live workers, as known to the leading rank
    private Comm workers(int[] ranks) {
        OwnedComm known = workers;
        if (Arrays.equals(ranks, workerRanks)) {
            if (known != null) return known;
            if (failureOfComm != null) throw failureOfComm;
        }
        if (known != null) known.close();
        workers = null;
        workerRanks = ranks;
        OwnedComm made;
        try {
            made = comm.createGroup(comm.group().incl(ranks));
        } catch (RuntimeException e) {
            failureOfComm = e;
            throw e;
        }
        made.setName("WORKERS");
        made.setInfo(Wire.TOGETHER_HINTS);
        workers = made;
        // without the barrier, a rank could send to a rank that never creates the communicator because a third
        // rank has died
        made.barrier();
        return made;
    }

    /// Sends the results. If one of the results is not a value, sends each result in a separate answer, so that
    /// only the task with this result fails.
    private void send(BatchResults results, long nanos, long bytes) {
        Object[] failures = results.failures.toArray();
        try {
            answer(Wire.DONE, 0, nanos, bytes, results.values, failures);
            return;
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // an accessor of a record threw an exception; it throws again below, when the affected result is
            // encoded
        }
        answer(Wire.PARTS, 0, 0, 0, NONE, NONE);
        int failed = 0;
        for (int i = 0; i < results.values.length; i++) {
            Object[] row = failed < failures.length ? (Object[]) failures[failed] : null;
            boolean isFailure = row != null && (Integer) row[0] == i;
            if (isFailure) failed++;
            Object[] own = isFailure ? Arrays.asList((Object) row).toArray() : NONE;
            sendOne(i, results.values[i], own);
        }
        answer(Wire.DONE, 0, nanos, bytes, NONE, NONE);
    }

    private void sendOne(int i, @Nullable Object value, Object[] failure) {
        String why;
        try {
            answer(Wire.PART, i, 0, 0, new @Nullable Object[] {value}, failure);
            return;
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e;
            why = String.valueOf(e.getMessage());
        } catch (RuntimeException | StackOverflowError e) {
            why = e.toString();
        }
        Object[] row = TaskFailures.row(i, Wire.REFUSED, "the result is not a value: " + ValueTexts.result(why), null);
        answer(Wire.PART, i, 0, 0, new @Nullable Object[] {null}, new Object[] {row});
    }
}
