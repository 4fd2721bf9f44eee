package org.tutti.mpi.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// Looks after what goes on while nobody waits for it: requests as stages, receives of partitions whose
/// sender is not known yet. A daemon that exists only while there is something of the kind, and a moment
/// longer; a rank without any has no such thread.
///
///     toStage, start ──add──▶ tasks ──look, look, …──▶ over ──tell, outside of all locks──▶ the program's stages
///
/// It looks busily for a moment where every rank has a core, and then naps, up to a millisecond. Its name
/// does not begin like those of Tutti's other threads, because the program's code runs on it: it may call
/// anything, so a rank that has it is never proven to be in a deadlock.
public final class ProgressThread {
    /// What is looked after.
    public interface Task {
        /// Makes progress; true when there is nothing more to look after. Never waits.
        boolean look();

        /// Tells of its end; any code may run here.
        void tell();

        /// Its end will not be seen, for this reason; told like any other.
        void fail(Throwable why);
    }

    private static final int BUSY_ROUNDS = 200;
    private static final long FIRST_NAP_NANOS = 20_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;

    /// It stays for so long without a task, so that one stage after the other does not take a thread each.
    private static final long LINGER_MILLIS = 50;

    private final boolean crowded;

    /// New ones. The monitor of this object guards all fields and is held while tasks are looked at.
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
        task.tell();
    }

    /// Why it cannot be added; null when it was.
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
        while (lookAtAll(over)) {
            for (Task task : over) task.tell();
            quiet = over.isEmpty() ? quiet + 1 : 0;
            over.clear();
            if (quiet > 0) pause(quiet);
        }
    }

    /// Puts what is over into `over`; false when there was nothing to look at for a while, or never will be.
    private synchronized boolean lookAtAll(List<Task> over) {
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
            return task.look();
        } catch (Throwable e) { // an Error must not end the thread that others' stages need
            task.fail(e);
            return true;
        }
    }

    private void linger() {
        try {
            wait(LINGER_MILLIS);
        } catch (InterruptedException e) {
            // nobody has a reason to interrupt it; then it ends, and the next task gets another one
        }
    }

    private void pause(int quiet) {
        if (!crowded && quiet < BUSY_ROUNDS) {
            Thread.onSpinWait();
            return;
        }
        int naps = crowded ? quiet : quiet - BUSY_ROUNDS;
        LockSupport.parkNanos(this, Math.min(FIRST_NAP_NANOS * (1 + naps / 8), LONGEST_NAP_NANOS));
    }

    /// Looks at nothing any more; what is still there fails for this reason. Does not wait for what the
    /// program does in its stages.
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
            task.tell();
        }
    }
}
