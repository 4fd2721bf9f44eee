package org.tutti.futures;

import java.util.HashSet;
import java.util.Set;
import org.tutti.mpi.Comm;
import org.tutti.mpi.MpiException;

/// A worker's thread that interrupts the current task on request of the leading rank or at the time limit. It
/// polls twenty times a second while a task is running, and sleeps otherwise.
final class TaskWatch {
    private static final long POLL_NANOS = 50_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final Comm comm;
    private final int leader;
    private final Thread worker = Thread.currentThread();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("tutti-task-watch").unstarted(this::run);

    /// Serials of task messages that were cancelled before the worker began to run their tasks.
    private final Set<Long> early = new HashSet<>();

    /// The current message; 0 for none. Guarded by `this`, like all fields below.
    private long serial;

    private long lastStarted;

    private long endNanos = NEVER;
    private boolean sleeps;
    private boolean stopped;
    private boolean started;
    private long controls;

    private volatile boolean cancelled;
    private volatile boolean late;

    TaskWatch(Comm comm, int leader) {
        this.comm = comm;
        this.leader = leader;
    }

    /// Marks the start of the tasks of a message.
    synchronized void begin(long message) {
        serial = message;
        lastStarted = message;
        cancelled = early.remove(message);
        if (!started) {
            started = true;
            thread.start();
        }
        if (sleeps) notifyAll();
    }

    /// Marks the start of a task with a time limit; 0 for no limit.
    synchronized void beginTask(long timeoutNanos) {
        late = false;
        if (!cancelled) Thread.interrupted();
        endNanos = timeoutNanos == 0 ? NEVER : System.nanoTime() + timeoutNanos;
        if (timeoutNanos != 0 && timeoutNanos < POLL_NANOS) notifyAll();
    }

    /// Marks the end of the task. Returns whether it exceeded the time limit.
    synchronized boolean endTask() {
        endNanos = NEVER;
        boolean was = late;
        late = false;
        if (was && !cancelled) Thread.interrupted();
        return was;
    }

    /// Marks the end of the tasks of the message.
    synchronized void end() {
        serial = 0;
        cancelled = false;
        Thread.interrupted();
    }

    boolean isCancelled() {
        return cancelled;
    }

    boolean isOver() {
        return cancelled || late;
    }

    /// Ends the thread, then receives the control messages that the thread has not received. `sent` is the
    /// total number of control messages that the leading rank has sent to this worker.
    void stop(long sent) throws InterruptedException {
        synchronized (this) {
            stopped = true;
            notifyAll();
            if (!started) thread.start();
        }
        thread.join();
        for (long have = controls; have < sent; have++) comm.recvObject(long[].class, leader, Wire.CONTROL);
    }

    private void run() {
        try {
            while (poll()) {
                while (comm.iprobe(leader, Wire.CONTROL) != null) {
                    long[] control = comm.recvObject(long[].class, leader, Wire.CONTROL);
                    if (control != null) control(control[0]);
                }
            }
        } catch (MpiException e) {
            worker.interrupt(); // the job has failed: the worker detects this in the next call
        } catch (InterruptedException e) {
            throw new AssertionError(e); // this thread is never interrupted
        }
    }

    private synchronized void control(long message) {
        controls++;
        if (message > lastStarted) early.add(message);
        if (message != serial || cancelled) return;
        cancelled = true;
        worker.interrupt();
    }

    /// Waits for the next poll. Returns false after the last poll.
    private synchronized boolean poll() throws InterruptedException {
        boolean idle = serial == 0;
        if (!stopped) pause();
        if (idle && serial == 0) {
            sleeps = true;
            while (serial == 0 && !stopped) wait();
            sleeps = false;
        }
        if (endNanos != NEVER && System.nanoTime() >= endNanos && !late) {
            late = true;
            worker.interrupt();
        }
        return !stopped;
    }

    private void pause() throws InterruptedException {
        long nanos = endNanos == NEVER || late ? POLL_NANOS : Math.min(POLL_NANOS, endNanos - System.nanoTime());
        if (nanos > 0) wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
    }
}
