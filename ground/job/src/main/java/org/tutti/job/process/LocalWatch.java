package org.tutti.job.process;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.StacksFile;

/// The counterpart of [RankWatch] for a job whose ranks are threads of this process: a thread that runs tasks
/// once a second, and reports the state of the ranks. The thread first pauses for [#PAUSE_MILLIS].
public final class LocalWatch implements Runnable, AutoCloseable {
    private static final long PAUSE_MILLIS = 250;
    private static final int PAUSES_PER_SECOND = 4;

    private final JobStatus status;
    private final @Nullable Thread[] ranks;
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();
    private final Thread thread = new Thread(null, this, "tutti-watch", 0, false);
    private long answered;

    public LocalWatch(JobStatus status) {
        this.status = status;
        ranks = new @Nullable Thread[status.size()];
        thread.setDaemon(true);
    }

    /// Calls `task` about once a second.
    public void eachSecond(Runnable task) {
        tasks.add(task);
    }

    public void start() {
        thread.start();
    }

    /// Registers the thread of `rank`.
    public synchronized void runs(int rank, Thread rankThread) {
        ranks[rank] = rankThread;
        status.claim(rank, ProcessHandle.current().pid());
        status.state(rank, JobStatus.State.JOINED);
    }

    /// Returns the rank of the thread; -1 if the thread is not a rank.
    public synchronized int rankOf(Thread someThread) {
        for (int r = 0; r < ranks.length; r++) if (ranks[r] == someThread) return r;
        return -1;
    }

    private synchronized @Nullable Thread threadOf(int rank) {
        return ranks[rank];
    }

    @Override
    public void run() {
        try {
            for (int pauses = 1; ; pauses++) {
                Thread.sleep(PAUSE_MILLIS);
                if (status.request() != answered) answer();
                if (pauses % PAUSES_PER_SECOND == 0) callTasks();
            }
        } catch (InterruptedException e) {
            // the job is over
        }
    }

    private void answer() {
        long asked = status.request();
        for (int r = 0; r < ranks.length; r++) answer(r, asked);
        answered = asked;
    }

    private void answer(int rank, long asked) {
        Thread thread = threadOf(rank);
        if (thread == null) return;
        try {
            // rank 0 also describes the threads that are not ranks
            StacksFile.write(status.stacksFile(), rank, RankStacks.of(thread, t -> rank > 0 || rankOf(t) >= 0));
            status.answer(rank, asked);
        } catch (Throwable t) {
            // if there is no answer, the rank is described as unresponsive
        }
    }

    private void callTasks() {
        for (Runnable task : tasks) {
            try {
                task.run();
            } catch (Throwable t) { // a failure of the watch must not end a rank
                tasks.remove(task);
                System.getLogger(LocalWatch.class.getName())
                        .log(System.Logger.Level.WARNING, "a task of tutti-watch failed and is not called again", t);
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
