package org.tutti.job.process;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.tutti.job.signal.Termination;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.StacksFile;

/// One thread of a rank's process, `tutti-watch`, that sleeps but for a moment four times a second. It does
/// what must go on while every thread of the program waits: tasks that are called each second, and the
/// answer to a launcher that wants to know what the rank does. It makes no calls of MPI, so it never counts
/// among the threads that might.
///
/// Its clock stands still with the process: a rank that was stopped for a minute has missed its seconds, and
/// does not catch up.
public final class RankWatch implements Runnable {
    private static final long NAP_MILLIS = 250;
    private static final int NAPS_OF_A_SECOND = 4;

    private final int rank;
    private volatile @Nullable JobStatus status;
    private final AtomicBoolean started = new AtomicBoolean();
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

    /// The thread that called `Mpi.init`: what a rank does is what this thread does.
    private volatile @Nullable Thread initThread;

    private volatile boolean listensToSignals;
    private long answered;

    /// @param status null where no launcher of ours is on this machine
    RankWatch(int rank, @Nullable JobStatus status) {
        this.rank = rank;
        this.status = status;
    }

    /// Calls `task` about once a second from now on, until the process ends; never two tasks at once. It has
    /// to return soon. One that throws is told of in the log and not called again.
    public void eachSecond(Runnable task) {
        tasks.add(task);
        start();
    }

    /// Answers who asks on this board, too, if there was none.
    public void serve(JobStatus own) {
        if (status == null) status = own;
        start();
    }

    /// This process is a rank that a launcher has started: it handles SIGUSR1, from a moment after its start on.
    void listensToSignals() {
        listensToSignals = true;
    }

    /// From the second call on it does nothing.
    void start() {
        if (!started.compareAndSet(false, true)) return;
        Thread thread = new Thread(null, this, "tutti-watch", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    /// The calling thread is in `Mpi.init`.
    void initialises() {
        initThread = Thread.currentThread();
    }

    @Override
    public void run() {
        try {
            for (int naps = 1; ; naps++) {
                Thread.sleep(NAP_MILLIS);
                if (listensToSignals) Termination.ofThisProcess().listen();
                JobStatus asks = status;
                if (asks != null && asks.request() != answered) answer(asks);
                if (naps % NAPS_OF_A_SECOND == 0) callTasks();
            }
        } catch (InterruptedException e) {
            // somebody ends all threads
        }
    }

    /// The stacks of all threads of the program, and before them, in the first line, what the rank does.
    String stacks() {
        return RankStacks.ofThisProcess(initThread);
    }

    /// The launcher asks what this rank does.
    private void answer(JobStatus status) {
        long asked = status.request();
        try {
            StacksFile.write(status.stacksFile(), rank, stacks());
        } catch (Throwable t) {
            // it only watches; the rank is described from outside, like one that does not answer
            answered = asked;
            return;
        }
        answered = asked;
        status.answer(rank, asked);
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
