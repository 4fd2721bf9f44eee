package org.tutti.job.process;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.tutti.job.signal.Termination;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.StacksFile;

/// A thread of a rank's process, `tutti-watch`, that wakes up for a short time four times a second. Even while
/// all threads of the program wait, it calls tasks each second, and answers the launcher's requests for the
/// rank's state. The thread never calls MPI, so it does not count as a thread that might make a call.
///
/// The clock of the watch stops if the process is stopped: after a rank has been stopped for a minute, the
/// tasks of that minute are not executed later.
public final class RankWatch implements Runnable {
    private static final long PAUSE_MILLIS = 250;
    private static final int PAUSES_PER_SECOND = 4;

    private final int rank;
    private volatile @Nullable JobStatus status;
    private final AtomicBoolean started = new AtomicBoolean();
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

    /// The thread that called `Mpi.init`. The state of this thread is reported as the rank's state.
    private volatile @Nullable Thread initThread;

    private volatile boolean listensToSignals;
    private long answered;

    /// Creates the watch. `status` is null if no launcher of Tutti is on this machine.
    RankWatch(int rank, @Nullable JobStatus status) {
        this.rank = rank;
        this.status = status;
    }

    /// From now on, calls `task` about once a second until the process ends. Tasks never run concurrently. A
    /// task must return soon. If a task throws an exception, this is logged, and the task is not called again.
    public void eachSecond(Runnable task) {
        tasks.add(task);
        start();
    }

    /// Answers requests in this job status, unless this object already has a job status.
    public void serve(JobStatus own) {
        if (status == null) status = own;
        start();
    }

    /// Records that this process is a rank that a launcher has started. For such a rank, the watch thread
    /// installs a handler for SIGUSR1 shortly after the start.
    void listensToSignals() {
        listensToSignals = true;
    }

    /// Starts the thread; further calls have no effect.
    void start() {
        if (!started.compareAndSet(false, true)) return;
        Thread thread = new Thread(null, this, "tutti-watch", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    /// Records that the calling thread is in `Mpi.init`.
    void initialises() {
        initThread = Thread.currentThread();
    }

    @Override
    public void run() {
        try {
            for (int pauses = 1; ; pauses++) {
                Thread.sleep(PAUSE_MILLIS);
                if (listensToSignals) Termination.ofThisProcess().listen();
                JobStatus asks = status;
                if (asks != null && asks.request() != answered) answer(asks);
                if (pauses % PAUSES_PER_SECOND == 0) callTasks();
            }
        } catch (InterruptedException e) {
            // the program interrupts all threads
        }
    }

    /// Returns the stacks of all threads of the program; the first line is the state of the rank.
    String stacks() {
        return RankStacks.ofThisProcess(initThread);
    }

    /// Answers the launcher's request for the rank's state.
    private void answer(JobStatus status) {
        long asked = status.request();
        try {
            StacksFile.write(status.stacksFile(), rank, stacks());
        } catch (Throwable t) {
            // a failure here must not end the rank; if there is no answer, the launcher describes the rank as
            // unresponsive
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
            } catch (Throwable t) { // a failure of the watch must not end the rank
                tasks.remove(task);
                System.getLogger(RankWatch.class.getName())
                        .log(System.Logger.Level.WARNING, "a task of tutti-watch failed and is not called again", t);
            }
        }
    }
}
