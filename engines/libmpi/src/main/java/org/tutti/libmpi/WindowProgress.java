package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.MPI_ANY_SOURCE;
import static org.tutti.libmpi.raw.Constants.MPI_ANY_TAG;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Iprobe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Calls the library periodically, from the creation of the first window with accesses that use the library
/// until the end of the rank. Libraries advance such accesses only when the target calls the library, so a
/// target that computes for a second would delay other ranks by a second.
///
/// A call every millisecond costs little. Calls are more frequent while this rank accesses windows, because
/// other ranks then probably access this rank's memory, too, and this rank's accesses do not advance the
/// accesses of other ranks.
final class WindowProgress {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SHORT_INTERVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final NativeComm world;
    private final LibraryIdleStrategy waiter;
    private @Nullable Thread thread;
    private volatile boolean stopping;

    /// Whether this rank has accessed a window since the last call. A race only changes the length of a sleep.
    private boolean accesses;

    WindowProgress(NativeComm world, LibraryIdleStrategy waiter) {
        this.world = world;
        this.waiter = waiter;
    }

    /// Starts the thread, and limits the sleeps of waiting threads, so that they call the library more often.
    synchronized void begin() {
        if (thread != null || stopping) return;
        waiter.limitSleeps();
        thread = Thread.ofPlatform().daemon().name("tutti-libmpi-windows").start(this::poll);
    }

    /// Records an access by this rank.
    void accesses() {
        accesses = true;
    }

    /// Stops the thread and waits until it has ended.
    void end() {
        Thread poller;
        synchronized (this) {
            stopping = true;
            poller = thread;
        }
        if (poller == null) return;
        LockSupport.unpark(poller);
        boolean interrupted = false;
        while (poller.isAlive()) {
            try {
                poller.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private void poll() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT), status = arena.allocate(NativeScratch.STATUS_BYTES, 8);
            while (!stopping) {
                if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.handle, flag, status) != 0) return;
                LockSupport.parkNanos(this, accesses ? SHORT_INTERVAL_NANOS : INTERVAL_NANOS);
                accesses = false;
            }
        }
    }
}
