package org.tutti.mpi.file;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads that run nonblocking accesses. Daemons, which are there only while they have something to do and a
/// moment longer.
final class FileThreads {
    private static final int MOST = 4;
    private static final long LINGER_MILLIS = 100;

    /// One rank's accesses, which wait for nobody but the disk, and in atomic mode for those that do.
    static final Executor ALONE = alone();

    /// Collective ones, which wait for other ranks: as many threads as there are of them.
    static final Executor TOGETHER = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, LINGER_MILLIS, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), FileThreads::thread);

    private FileThreads() {}

    private static Executor alone() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                MOST, MOST, LINGER_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), FileThreads::thread);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static Thread thread(Runnable task) {
        return Thread.ofPlatform().daemon().name("mpi-file").unstarted(task);
    }
}
