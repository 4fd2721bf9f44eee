package org.tutti.compat;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Window;
import org.tutti.mpi.door.DropInDoor;

/// Direct buffers in the job's memory, which other ranks access in place.
///
/// They are given back when they have become unreachable, as all direct buffers are, and their total size has the limit
/// that the JVM sets for direct buffers by default. Beyond it, and where there is no such memory, a buffer is a plain one.
public final class JobBuffers {
    private static final long LIMIT_BYTES = Runtime.getRuntime().maxMemory();

    /// Naps for the cleaners double up to this, to a sum of twice as much.
    private static final int LONGEST_NAP_MILLIS = 64;

    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong LIVE_BYTES = new AtomicLong();

    private static final ConcurrentSkipListMap<Long, WeakReference<ByteBuffer>> BY_ADDRESS =
            new ConcurrentSkipListMap<>();

    /// Bytes allocated since the last collection that was requested here.
    private static final AtomicLong SINCE_COLLECTION = new AtomicLong(LIMIT_BYTES);

    private JobBuffers() {}

    /// Returns a buffer of zeros.
    ///
    /// @param mpi null outside of the job
    public static ByteBuffer allocate(@Nullable Mpi mpi, int bytes) {
        MemorySegment memory = mpi == null || bytes <= 0 ? null : take(mpi, bytes);
        ByteBuffer buffer = memory == null ? ByteBuffer.allocateDirect(bytes) : memory.asByteBuffer();
        if (bytes > 0) {
            long address = MemorySegment.ofBuffer(buffer).address();
            WeakReference<ByteBuffer> made = new WeakReference<>(buffer); // slices refer to it
            BY_ADDRESS.put(address, made);
            CLEANER.register(buffer, () -> BY_ADDRESS.remove(address, made));
        }
        return buffer;
    }

    private static @Nullable MemorySegment take(Mpi mpi, long bytes) {
        if (!reserve(bytes)) {
            collect();
            if (!reserve(bytes)) return null;
        }
        SINCE_COLLECTION.addAndGet(bytes);
        MemorySegment memory = DropInDoor.get().allocateCollected(mpi, bytes);
        if (memory == null) {
            LIVE_BYTES.addAndGet(-bytes);
            return null;
        }
        CLEANER.register(memory.scope(), () -> LIVE_BYTES.addAndGet(-bytes));
        return memory;
    }

    /// Returns the memory of the buffer of [#allocate] that `part` is in; null if there is none.
    static @Nullable MemorySegment enclosing(MemorySegment part) {
        var found = BY_ADDRESS.floorEntry(part.address());
        ByteBuffer buffer = found == null ? null : found.getValue().get();
        if (buffer == null) return null;
        MemorySegment memory = MemorySegment.ofBuffer(buffer.duplicate().clear());
        if (part.address() + part.byteSize() > memory.address() + memory.byteSize()) return null;
        return memory;
    }

    private static boolean reserve(long bytes) {
        if (LIVE_BYTES.addAndGet(bytes) <= LIMIT_BYTES) return true;
        LIVE_BYTES.addAndGet(-bytes);
        return false;
    }

    /// Buffers that a program has dropped occupy little of its heap, so the JVM may see no reason to collect them. This
    /// requests a collection, at most once per a quarter of the limit, and waits briefly for the cleaners.
    private static void collect() {
        if (SINCE_COLLECTION.get() < LIMIT_BYTES / 4) return;
        SINCE_COLLECTION.set(0);
        long before = LIVE_BYTES.get();
        System.gc();
        for (int millis = 1; millis < LONGEST_NAP_MILLIS && LIVE_BYTES.get() > before / 2; millis *= 2) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    /// Creates a window over a direct buffer's memory: in place if it is of [#allocate] and in the job's memory.
    public static Window window(Comm comm, MemorySegment memory, int unitBytes) {
        return (Window) DropInDoor.get().window(comm, memory, unitBytes);
    }
}
