package org.tutti.libmpi;

import static org.tutti.libmpi.raw.WindowFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.window.AccumulateLock;
import org.tutti.coll.window.Exposures;
import org.tutti.coll.window.TicketLock;
import org.tutti.coll.window.WindowWait;
import org.tutti.spi.Access;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;

/// A window of ranks that do not share memory: put, get and accumulate use the library. The library's window
/// stays in one epoch of `MPI_Win_lock_all`, in which all memory may be accessed and flushed. Locks, posts and
/// completes are counters in the window ([WindowCounters]).
final class NativeWindow extends WindowPort implements AccumulateLock {
    /// Alignment of the ranks' memory.
    static final long ALIGNMENT = 64;

    private static final long FREE = 0, HELD = 1;

    /// Byte offsets of each rank's counters and memory in the library's window, the length of the memory, and
    /// the displacement unit.
    record Parts(long[] counters, long[] places, long[] bytes, int[] units) {}

    private final NativeWindows windows;
    private final LibraryWindow library;
    private final Parts parts;

    /// Address of this rank's part.
    private final long address;

    private final WindowCounters counters;
    private final RemoteAccesses accesses;
    private final TicketLock locks;
    private final Exposures exposures;

    /// Lifetime of the segment through which the program accesses the memory; ends when this rank closes the
    /// window.
    private final Arena arena = Arena.ofShared();

    NativeWindow(NativeWindows windows, LibraryWindow library, Parts parts, long address, Staging staging) {
        super(library.port());
        this.windows = windows;
        this.library = library;
        this.parts = parts;
        this.address = address;
        accesses = new RemoteAccesses(windows, library, parts.places, this, staging);
        counters = new WindowCounters(library, parts.counters, accesses);
        locks = new TicketLock(port(), counters);
        exposures = new Exposures(port(), counters);
    }

    @Override
    public void acquire(Access access) {
        int target = access.target;
        if (counters.compareAndSet(target, WindowCounters.ACCUMULATE, FREE, HELD)) return;
        windows.await(new WindowWait(access.operation) {
            @Override
            public String what() {
                return operation() + " at target=" + target + " on "
                        + NativeWindow.this.port().name() + ", in the queue for the lock";
            }

            @Override
            protected boolean checkOver() {
                return counters.compareAndSet(target, WindowCounters.ACCUMULATE, FREE, HELD);
            }
        });
    }

    @Override
    public void release(Access access) {
        counters.set(access.target, WindowCounters.ACCUMULATE, FREE);
    }

    @Override
    public long bytes(int rank) {
        return parts.bytes[rank];
    }

    @Override
    public int unitBytes(int rank) {
        return parts.units[rank];
    }

    @Override
    public MemorySegment memory(int rank) {
        if (rank != port().rank()) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_RMA_SHARED,
                    "memory",
                    "rank=" + rank + " shares no memory with this rank, or a different rank of " + port().name()
                            + " shares none; use get and put",
                    port());
        }
        return MemorySegment.ofAddress(address + parts.places[rank]).reinterpret(parts.bytes[rank], arena, null);
    }

    @Override
    public void run(Access access) {
        accesses.run(access);
    }

    @Override
    public void flush(int target) {
        accesses.flush(target);
    }

    @Override
    public void flushAll() {
        accesses.flushAll();
    }

    @Override
    public void sync() {
        windows.checkJob();
        accesses.check(MPI_Win_sync(library.handle()));
    }

    @Override
    public @Nullable LocalWait lock(int target, boolean exclusive) {
        windows.checkJob();
        return locks.lock(target, exclusive);
    }

    @Override
    public void unlock(int target) {
        flush(target);
        locks.unlock(target);
    }

    @Override
    public void post(int[] origins) {
        sync();
        exposures.post(origins);
    }

    @Override
    public @Nullable LocalWait start(int[] targets) {
        windows.checkJob();
        return exposures.start(targets);
    }

    @Override
    public void complete(int[] targets) {
        for (int target : targets) flush(target);
        exposures.complete(targets);
    }

    @Override
    public @Nullable LocalWait await(int[] origins) {
        windows.checkJob();
        return exposures.await(origins);
    }

    @Override
    public boolean test(int[] origins) {
        windows.checkJob();
        return exposures.test(origins);
    }

    @Override
    public void free() {
        try {
            arena.close();
        } catch (IllegalStateException e) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_WIN, "close", "the memory is in use: " + e.getMessage(), port());
        }
        accesses.free();
    }
}
