package org.tutti.mpi.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// Polls tasks for which no thread is waiting: requests from which the program has created a `CompletionStage`,
/// partitioned receives that the sender has not yet announced, and connections with other jobs. The thread is a
/// daemon thread. It starts with the first task, and ends shortly after the last task; a rank without tasks has
/// no such thread.
///
///     toStage, start ──add──▶ tasks ──poll, poll, …──▶ over ──notify, outside of all locks──▶ the program's stages
///
/// If each rank has a core, the thread first spins and then sleeps for up to a millisecond. The thread runs
/// code of the program, which may execute any call, so the rank must not be considered as part of a deadlock
/// while this thread exists. The deadlock check ignores only threads with the name prefix `tutti-`; therefore,
/// the name of this thread has a different prefix.
public final class ProgressThread {
    /// A task of the progress thread.
    public interface Task {
        /// Polls without waiting. Returns true if the task is complete.
        boolean poll();

        /// Reports the completion. May run any code.
        void notifyCompletion();

        /// Fails the task, because completion can no longer be detected. The caller then calls
        /// [#notifyCompletion], as for any other task.
        void fail(Throwable why);
    }

    private static final int BUSY_ROUNDS = 200;
    private static final long FIRST_SLEEP_NANOS = 20_000;
    private static final long LONGEST_SLEEP_NANOS = 1_000_000;

    /// The time in milliseconds that the thread remains without tasks, so that consecutive stages use the same
    /// thread.
    private static final long LINGER_MILLIS = 50;

    private final boolean crowded;

    /// The tasks that are not complete. The monitor of this object guards all fields and is held while tasks
    /// are polled.
    private final List<Task> tasks = new ArrayList<>();

    private @Nullable Thread thread;
    private @Nullable RuntimeException closed;

    public ProgressThread(int ranks) {
        crowded = ranks > Host.cores();
    }

    public void add(Task task) {
        RuntimeException why = addWhileOpen(task);
        if (why == null) return;
        task.fail(why);
        task.notifyCompletion();
    }

    /// Adds a task, and returns null. If tasks can no longer be added, returns the reason.
    private synchronized @Nullable RuntimeException addWhileOpen(Task task) {
        if (closed != null) return closed;
        tasks.add(task);
        Thread t = thread;
        if (t == null) {
            thread = Thread.ofPlatform().daemon().name("mpi-progress").start(this::run);
        } else {
            notifyAll();
            LockSupport.unpark(t);
        }
        return null;
    }

    private void run() {
        List<Task> over = new ArrayList<>();
        int quiet = 0;
        while (pollAll(over)) {
            for (Task task : over) task.notifyCompletion();
            quiet = over.isEmpty() ? quiet + 1 : 0;
            over.clear();
            if (quiet > 0) pause(quiet);
        }
    }

    /// Polls all tasks, and moves completed tasks into `over`. Returns false if there were no tasks for some
    /// time, or if the thread is closed.
    private synchronized boolean pollAll(List<Task> over) {
        if (tasks.isEmpty() && closed == null) linger();
        if (tasks.isEmpty()) {
            thread = null;
            return false;
        }
        for (Iterator<Task> i = tasks.iterator(); i.hasNext(); ) {
            Task task = i.next();
            if (!isOver(task)) continue;
            i.remove();
            over.add(task);
        }
        return true;
    }

    private static boolean isOver(Task task) {
        try {
            return task.poll();
        } catch (Throwable e) { // an Error must not end the thread that serves other stages
            task.fail(e);
            return true;
        }
    }

    private void linger() {
        try {
            wait(LINGER_MILLIS);
        } catch (InterruptedException e) {
            // an unexpected interrupt: the thread ends, and the next task starts a new thread
        }
    }

    private void pause(int quiet) {
        if (!crowded && quiet < BUSY_ROUNDS) {
            Thread.onSpinWait();
            return;
        }
        int sleeps = crowded ? quiet : quiet - BUSY_ROUNDS;
        LockSupport.parkNanos(this, Math.min(FIRST_SLEEP_NANOS * (1 + sleeps / 8), LONGEST_SLEEP_NANOS));
    }

    /// Stops polling. The remaining tasks fail with `why`, which is reported on the calling thread. Does not
    /// wait for code of the program that the progress thread is running.
    public void close(RuntimeException why) {
        List<Task> left;
        synchronized (this) {
            closed = why;
            left = List.copyOf(tasks);
            tasks.clear();
            notifyAll();
        }
        for (Task task : left) {
            task.fail(why);
            task.notifyCompletion();
        }
    }
}
