package org.tutti.futures;

import java.util.HashSet;
import java.util.Set;
import org.tutti.mpi.Comm;
import org.tutti.mpi.MpiException;

/// A worker's thread that interrupts its task: when the leading rank says so, and when its time is over.
/// It looks twenty times a second while there is a task, and sleeps when there is none.
final class TaskWatch {
    private static final long LOOK_NANOS = 50_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final Comm comm;
    private final int leader;
    private final Thread worker = Thread.currentThread();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("tutti-task-watch").unstarted(this::run);

    /// Of messages that are cancelled before they begin.
    private final Set<Long> early = new HashSet<>();

    /// The message under way; 0 for none. Guarded by this, as all below.
    private long serial;

    private long lastBegun;

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

    /// The worker begins a message.
    synchronized void begin(long message) {
        serial = message;
        lastBegun = message;
        cancelled = early.remove(message);
        if (!started) {
            started = true;
            thread.start();
        }
        if (sleeps) notifyAll();
    }

    /// The worker begins a task that may take so long; 0 for any time.
    synchronized void beginTask(long timeoutNanos) {
        late = false;
        if (!cancelled) Thread.interrupted();
        endNanos = timeoutNanos == 0 ? NEVER : System.nanoTime() + timeoutNanos;
        if (timeoutNanos != 0 && timeoutNanos < LOOK_NANOS) notifyAll();
    }

    /// The task has ended. Whether its time was over.
    synchronized boolean endTask() {
        endNanos = NEVER;
        boolean was = late;
        late = false;
        if (was && !cancelled) Thread.interrupted();
        return was;
    }

    /// The message has ended.
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

    /// Ends the thread, and receives what it has not: the leading rank has sent so many controls.
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
            while (look()) {
                while (comm.iprobe(leader, Wire.CONTROL) != null) {
                    long[] control = comm.recvObject(long[].class, leader, Wire.CONTROL);
                    if (control != null) control(control[0]);
                }
            }
        } catch (MpiException e) {
            worker.interrupt(); // the job has failed: the worker hears of it in its next call
        } catch (InterruptedException e) {
            throw new AssertionError(e); // nobody interrupts this thread
        }
    }

    private synchronized void control(long message) {
        controls++;
        if (message > lastBegun) early.add(message);
        if (message != serial || cancelled) return;
        cancelled = true;
        worker.interrupt();
    }

    /// Waits for the next look. False when it was the last.
    private synchronized boolean look() throws InterruptedException {
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
        long nanos = endNanos == NEVER || late ? LOOK_NANOS : Math.min(LOOK_NANOS, endNanos - System.nanoTime());
        if (nanos > 0) wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
    }
}
