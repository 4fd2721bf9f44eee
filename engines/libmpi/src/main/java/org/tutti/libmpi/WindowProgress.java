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

/// Looks into the library while there are windows whose accesses go through it: libraries move them only when the
/// target calls, so a program that computes for a second would let others wait for a second.
///
/// A look each millisecond costs little. While this rank makes accesses itself others may well make some to it,
/// and its own move nothing else: then there are more looks.
final class WindowProgress {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SHORT_NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final NativeComm world;
    private final LibraryIdleStrategy waiter;
    private @Nullable Thread thread;
    private volatile boolean ends;

    /// This rank has made an access since the last look. A race only makes a nap longer or shorter.
    private boolean accesses;

    WindowProgress(NativeComm world, LibraryIdleStrategy waiter) {
        this.world = world;
        this.waiter = waiter;
    }

    /// From now on somebody looks, and who waits does so more often.
    synchronized void begin() {
        if (thread != null || ends) return;
        waiter.napShortly();
        thread = Thread.ofPlatform().daemon().name("tutti-libmpi-windows").start(this::look);
    }

    /// This rank makes an access.
    void accesses() {
        accesses = true;
    }

    /// Returns when nobody looks any more.
    void end() {
        Thread looks;
        synchronized (this) {
            ends = true;
            looks = thread;
        }
        if (looks == null) return;
        LockSupport.unpark(looks);
        boolean interrupted = false;
        while (looks.isAlive()) {
            try {
                looks.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private void look() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT), status = arena.allocate(NativeScratch.STATUS_BYTES, 8);
            while (!ends) {
                if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.handle, flag, status) != 0) return;
                LockSupport.parkNanos(this, accesses ? SHORT_NAP_NANOS : NAP_NANOS);
                accesses = false;
            }
        }
    }
}
