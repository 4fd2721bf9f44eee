package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.ABI;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Off-heap memory for one call: a status, a flag, a request, and staging memory. Each platform thread has one;
/// a virtual thread borrows one, because there may be a million virtual threads.
///
/// The memory is allocated in an automatic arena, so that it is freed with the thread.
final class NativeScratch {
    // MPI_Status has 20, 24 or 32 bytes
    static final int STATUS_BYTES = 40;
    private static final long STAGED_BYTES = 1 << 20;

    private static final ThreadLocal<NativeScratch> OF_PLATFORM_THREAD =
            ThreadLocal.withInitial(() -> new NativeScratch(false));
    private static final ConcurrentLinkedQueue<NativeScratch> FOR_VIRTUAL_THREADS = new ConcurrentLinkedQueue<>();

    final MemorySegment status;
    final MemorySegment flag;
    final MemorySegment request;
    final MemorySegment out;

    /// State of the current wait: duration of the next sleep, end of the busy time, start of the last call into
    /// the library, consecutive long calls, and whether an interrupt was deferred.
    long sleepNanos;

    long busyUntil;
    long callStartNanos;
    int longCalls;
    boolean interrupted;

    /// Whether a second thread, in addition to the thread that called `Mpi.init`, has called the library.
    private static volatile boolean severalThreads;

    private static volatile boolean initKnown;

    /// Whether the thread called `Mpi.init`.
    private boolean ofInit;

    private final boolean shared;
    private MemorySegment sendRoom = MemorySegment.NULL;
    private MemorySegment recvRoom = MemorySegment.NULL;

    private NativeScratch(boolean shared) {
        this.shared = shared;
        if (initKnown) severalThreads = true;
        Arena arena = Arena.ofAuto();
        status = arena.allocate(STATUS_BYTES, 8);
        flag = arena.allocate(JAVA_INT);
        request = arena.allocate(JAVA_LONG);
        out = arena.allocate(JAVA_LONG);
    }

    /// Marks the calling thread as the caller of `Mpi.init`.
    static void beginsHere() {
        take().ofInit = true;
        initKnown = true;
    }

    /// Returns whether the thread may wait in the library: it has called `Mpi.init`, and no other thread has
    /// called the library so far. Otherwise a second thread could have to wait for the library's lock.
    boolean isOnlyThread() {
        return ofInit && !severalThreads;
    }

    /// Returns the calling thread's scratch; [#give] must follow.
    static NativeScratch take() {
        if (!Thread.currentThread().isVirtual()) return OF_PLATFORM_THREAD.get();
        NativeScratch free = FOR_VIRTUAL_THREADS.poll();
        return free == null ? new NativeScratch(true) : free;
    }

    void give() {
        if (shared) FOR_VIRTUAL_THREADS.add(this);
    }

    boolean flag() {
        return flag.get(JAVA_INT, 0) != 0;
    }

    long request() {
        return ABI.readHandle(request);
    }

    void request(long handle) {
        ABI.writeHandle(request, handle);
    }

    /// Returns whether [#sendRoom] and [#recvRoom] suffice for `bytes`; otherwise [Staging] provides memory.
    static boolean holds(long bytes) {
        return bytes <= STAGED_BYTES;
    }

    MemorySegment sendRoom(long bytes) {
        if (sendRoom.byteSize() < bytes) sendRoom = grow(bytes);
        return sendRoom;
    }

    MemorySegment recvRoom(long bytes) {
        if (recvRoom.byteSize() < bytes) recvRoom = grow(bytes);
        return recvRoom;
    }

    private static MemorySegment grow(long bytes) {
        return Arena.ofAuto().allocate(Math.max(4096, Long.highestOneBit(2 * bytes - 1)), 64);
    }
}
