package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.ABI;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What one call needs off the heap: a status, a flag, a request, and room to stage into. A platform thread
/// has one of its own; virtual threads, of which there may be a million, borrow.
///
/// An arena that the collector closes owns it, so that the memory goes with the thread.
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

    /// The wait that is going on: how long to sleep next, until when not to, since when it looks, how many long
    /// looks there were in a row, and whether an interrupt was swallowed.
    long napNanos;

    long busyUntil;
    long lookedFrom;
    int longLooks;
    boolean interrupted;

    /// Some thread besides that of `Mpi.init` has called.
    private static volatile boolean others;

    private static volatile boolean initKnown;

    /// The thread is the one that called `Mpi.init`.
    private boolean ofInit;

    private final boolean shared;
    private MemorySegment sendRoom = MemorySegment.NULL;
    private MemorySegment recvRoom = MemorySegment.NULL;

    private NativeScratch(boolean shared) {
        this.shared = shared;
        if (initKnown) others = true;
        Arena arena = Arena.ofAuto();
        status = arena.allocate(STATUS_BYTES, 8);
        flag = arena.allocate(JAVA_INT);
        request = arena.allocate(JAVA_LONG);
        out = arena.allocate(JAVA_LONG);
    }

    /// The calling thread is the one of `Mpi.init`.
    static void beginsHere() {
        take().ofInit = true;
        initKnown = true;
    }

    /// Whether the thread may wait in the library: it is that of `Mpi.init`, and no other has called so far
    /// that would wait for its turn in the library's lock.
    boolean isAlone() {
        return ofInit && !others;
    }

    /// To be given back when the call is over.
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

    /// Whether [#sendRoom] and [#recvRoom] have room for so much; else it comes from [Staging].
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
