package org.tutti.mpi.file;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads that run nonblocking accesses. These are daemon threads, which end shortly after the last
/// access.
final class FileThreads {
    private static final int MOST = 4;
    private static final long LINGER_MILLIS = 100;

    /// The executor for independent accesses, which wait only for the disk, or in atomic mode for other
    /// accesses.
    static final Executor INDEPENDENT = independent();

    /// The executor for collective accesses, which wait for other ranks. Each access has a separate thread,
    /// because with fewer threads an access to one file could block an access to another file for which other
    /// ranks wait.
    static final Executor COLLECTIVE = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, LINGER_MILLIS, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), FileThreads::thread);

    private FileThreads() {}

    private static Executor independent() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                MOST, MOST, LINGER_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), FileThreads::thread);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static Thread thread(Runnable task) {
        return Thread.ofPlatform().daemon().name("mpi-file").unstarted(task);
    }
}
