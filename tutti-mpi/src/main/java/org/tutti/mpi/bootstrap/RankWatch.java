package org.tutti.mpi.bootstrap;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/// One thread of a rank's process, `tutti-watch`, that sleeps but for a moment four times a second. It does
/// what must go on while every thread of the program waits. It makes no calls of MPI, so it never counts
/// among the threads that might.
///
/// Its clock stands still with the process: a rank that was stopped for a minute has missed its seconds, and
/// does not catch up.
public final class RankWatch implements Runnable {
    private static final long NAP_MILLIS = 250;
    private static final int NAPS_OF_A_SECOND = 4;

    private final AtomicBoolean started = new AtomicBoolean();
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

    RankWatch() {}

    /// Calls `task` about once a second from now on, until the process ends; never two tasks at once. It has
    /// to return soon. One that throws is told of in the log and not called again.
    public void eachSecond(Runnable task) {
        tasks.add(task);
        start();
    }

    /// From the second call on it does nothing.
    void start() {
        if (!started.compareAndSet(false, true)) return;
        Thread thread = new Thread(null, this, "tutti-watch", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            for (int naps = 1; ; naps++) {
                Thread.sleep(NAP_MILLIS);
                if (naps % NAPS_OF_A_SECOND == 0) callTasks();
            }
        } catch (InterruptedException e) {
            // somebody ends all threads
        }
    }

    private void callTasks() {
        for (Runnable task : tasks) {
            try {
                task.run();
            } catch (Throwable t) { // it only watches: the rank shall not end by it
                tasks.remove(task);
                System.getLogger(RankWatch.class.getName())
                        .log(System.Logger.Level.WARNING, "a task of tutti-watch failed and is given up", t);
            }
        }
    }
}
