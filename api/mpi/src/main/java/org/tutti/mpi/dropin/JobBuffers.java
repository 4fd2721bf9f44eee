package org.tutti.mpi.dropin;

import java.lang.foreign.MemorySegment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Window;
import org.tutti.mpi.internal.DropInBridge;

/// Direct buffers in the job's memory, which other ranks can access without a copy.
///
/// A buffer is released when it becomes unreachable, like all direct buffers. The total size is limited to the
/// JVM's default limit of direct buffers. Beyond the limit, or if the job has no such memory, a buffer is an
/// ordinary direct buffer. Small buffers are parts of a chunk, which is released together with the last of its
/// buffers.
///
/// A `Cleaner` is not used, because it has a separate thread: that thread might make calls, so a deadlock could
/// no longer be detected with certainty.
public final class JobBuffers {
    private static final long LIMIT_BYTES = Runtime.getRuntime().maxMemory();
    private static final int CHUNK_BYTES = 64 << 10, SMALL_BYTES = 2 << 10, ALIGNMENT = 64;

    /// The limit of the waits after a request for a garbage collection, in milliseconds. The waits double from
    /// 1 ms, so not only each wait but also the sum of all waits is shorter than the limit.
    private static final int LONGEST_WAIT_MILLIS = 64;

    private static final AtomicLong LIVE_BYTES = new AtomicLong();

    /// The number of bytes allocated since this class last requested a collection.
    private static final AtomicLong SINCE_COLLECTION = new AtomicLong(LIMIT_BYTES);

    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();
    private static final Set<Taken> TAKEN = ConcurrentHashMap.newKeySet();
    private static final ConcurrentSkipListMap<Long, Made> BY_ADDRESS = new ConcurrentSkipListMap<>();

    /// A reference to memory of the job. The referent is the scope of the memory, which is reachable as long as
    /// any slice or buffer of that memory is.
    private static final class Taken extends WeakReference<Object> {
        final long bytes;

        Taken(MemorySegment memory) {
            super(memory.scope(), COLLECTED);
            bytes = memory.byteSize();
        }
    }

    /// A reference to a buffer that [#allocate] has returned. Slices keep that buffer reachable.
    private static final class Made extends WeakReference<Object> {
        final long address;

        Made(ByteBuffer buffer) {
            super(buffer, COLLECTED);
            address = MemorySegment.ofBuffer(buffer).address();
        }
    }

    /// The chunk for small buffers; the next field, `free`, is the offset of the first free byte in the chunk.
    /// Guarded by the monitor of the class.
    private static @Nullable MemorySegment chunk;

    private static long free;

    private JobBuffers() {}

    /// Returns a zeroed buffer.
    ///
    /// @param mpi null outside of the job
    public static ByteBuffer allocate(@Nullable Mpi mpi, int bytes) {
        forgetCollected();
        MemorySegment memory = null;
        if (mpi != null && bytes > 0) memory = bytes <= SMALL_BYTES ? part(mpi, bytes) : take(mpi, bytes);
        ByteBuffer buffer = memory == null ? ByteBuffer.allocateDirect(bytes) : memory.asByteBuffer();
        if (bytes > 0) {
            Made made = new Made(buffer);
            BY_ADDRESS.put(made.address, made);
        }
        return buffer;
    }

    private static synchronized @Nullable MemorySegment part(Mpi mpi, int bytes) {
        MemorySegment of = chunk;
        if (of == null || free + bytes > CHUNK_BYTES) {
            chunk = of = take(mpi, CHUNK_BYTES);
            free = 0;
            if (of == null) return null;
        }
        MemorySegment part = of.asSlice(free, bytes);
        free = free + bytes + ALIGNMENT - 1 & -ALIGNMENT;
        return part;
    }

    private static @Nullable MemorySegment take(Mpi mpi, long bytes) {
        if (!reserve(bytes)) {
            collect();
            if (!reserve(bytes)) return null;
        }
        SINCE_COLLECTION.addAndGet(bytes);
        MemorySegment memory = DropInBridge.get().allocateCollected(mpi, bytes);
        if (memory == null) LIVE_BYTES.addAndGet(-bytes);
        else TAKEN.add(new Taken(memory));
        return memory;
    }

    private static boolean reserve(long bytes) {
        if (LIVE_BYTES.addAndGet(bytes) <= LIMIT_BYTES) return true;
        LIVE_BYTES.addAndGet(-bytes);
        return false;
    }

    /// Requests a garbage collection if at least a quarter of [#LIMIT_BYTES] has been allocated since the last
    /// request, and then waits for a short time until memory has been released. Unreachable buffers occupy
    /// little heap, so the JVM might otherwise run no collection.
    private static void collect() {
        if (SINCE_COLLECTION.get() < LIMIT_BYTES / 4) return;
        SINCE_COLLECTION.set(0);
        long before = LIVE_BYTES.get();
        System.gc();
        for (int millis = 1; millis < LONGEST_WAIT_MILLIS && LIVE_BYTES.get() > before / 2; millis *= 2) {
            forgetCollected();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        }
        forgetCollected();
    }

    private static void forgetCollected() {
        for (var unreachable = COLLECTED.poll(); unreachable != null; unreachable = COLLECTED.poll()) {
            if (unreachable instanceof Made made) {
                BY_ADDRESS.remove(made.address, made);
            } else if (unreachable instanceof Taken taken && TAKEN.remove(taken)) {
                LIVE_BYTES.addAndGet(-taken.bytes);
            }
        }
    }

    /// Returns the memory of the [#allocate] buffer that contains `part`; null if none exists.
    static @Nullable MemorySegment enclosing(MemorySegment part) {
        var found = BY_ADDRESS.floorEntry(part.address());
        if (found == null || !(found.getValue().get() instanceof ByteBuffer buffer)) return null;
        MemorySegment memory = MemorySegment.ofBuffer(buffer.duplicate().clear());
        if (part.address() + part.byteSize() > memory.address() + memory.byteSize()) return null;
        return memory;
    }

    /// Creates a window over the memory of a direct buffer. The memory is not copied if [#allocate] has
    /// returned the buffer and it is in the job's memory.
    public static Window window(Comm comm, MemorySegment memory, int unitBytes) {
        return (Window) DropInBridge.get().window(comm, memory, unitBytes);
    }
}
