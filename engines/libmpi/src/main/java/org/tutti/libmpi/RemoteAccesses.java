package org.tutti.libmpi;

import static org.tutti.libmpi.raw.AccessFunctions.*;
import static org.tutti.libmpi.raw.WindowFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.window.AccumulateLock;
import org.tutti.spi.Access;
import org.tutti.spi.Access.Kind;
import org.tutti.spi.Access.Operand;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.reduce.WindowReduction;
import org.tutti.spi.type.ElementType;

/// The accesses of a window as calls of the library. When a call returns, the operands can be reused, and the
/// results are available. The data of a short put or accumulate is therefore copied to [#room], and is retained
/// until the next flush.
///
/// Atomic accesses to `INT`, `LONG`, `FLOAT` and `DOUBLE` use the library. Other types use a lock of the
/// target, a get, Java code, and a put: libraries add and compare 8 and 16 bits incorrectly (see [NativeOp]),
/// and not all support `BOOLEAN`, pairs or complex numbers. No type uses both methods.
final class RemoteAccesses {
    /// Maximum size of data copied into [#room].
    private static final long SHORT_BYTES = 16 << 10;

    private static final long ROOM_BYTES = 256 << 10;

    private final NativeWindows windows;
    private final LibraryWindow library;
    private final long handle;
    private final long[] places;
    private final AccumulateLock lock;
    private final Staging staging;

    /// The copies of short data until the next flush. The memory is filled from the first byte; when it is
    /// full, all accesses are flushed.
    private @Nullable MemorySegment room;

    private long used;

    /// @param places the displacement of each rank's memory in the library's window
    /// @param lock the lock for accesses that are not atomic in the library
    RemoteAccesses(NativeWindows windows, LibraryWindow library, long[] places, AccumulateLock lock, Staging staging) {
        this.windows = windows;
        this.library = library;
        handle = library.handle();
        this.places = places;
        this.lock = lock;
        this.staging = staging;
    }

    /// Throws the fault for `rc` if it is an error code of the library.
    void check(int rc) {
        if (rc != 0) windows.check(rc, library.port());
    }

    void flush(int target) {
        windows.checkJob();
        check(MPI_Win_flush(target, handle));
    }

    void flushAll() {
        windows.checkJob();
        check(MPI_Win_flush_all(handle));
    }

    /// Records that this rank has closed the window.
    void free() {
        windows.closed(library);
    }

    void run(Access a) {
        windows.accesses();
        if (a.bytes == 0) return;
        if (a.kind == Kind.PUT) put(a);
        else if (a.kind == Kind.GET) get(a);
        else if (!isOfLibrary(a.type)) runByJava(a);
        else if (a.kind == Kind.ACCUMULATE) accumulate(a);
        else if (a.kind == Kind.GET_ACCUMULATE) getAccumulate(a);
        else compareAndSwap(a);
    }

    private static boolean isOfLibrary(ElementType type) {
        return type == ElementType.INT
                || type == ElementType.LONG
                || type == ElementType.FLOAT
                || type == ElementType.DOUBLE;
    }

    // ---- put and get

    private void put(Access a) {
        give(a, data -> transfer(a, data, true));
    }

    private void get(Access a) {
        take(a, a.result, data -> {
            transfer(a, data, false);
            flushLocal(a);
        });
    }

    private void transfer(Access a, MemorySegment data, boolean puts) {
        long place = places[a.target] + a.targetOffset;
        long packed = Types.of(ElementType.BYTE);
        TargetRuns.each(this, a.targetLayout, a.bytes, ElementType.BYTE, (from, bytes, at, count, type) -> {
            MemorySegment part = TypedTransfers.slice(data, from);
            int n = (int) bytes;
            return puts
                    ? MPI_Put(part, n, packed, a.target, place + at, count, type, handle)
                    : MPI_Get(part, n, packed, a.target, place + at, count, type, handle);
        });
    }

    private void flushLocal(Access a) {
        check(MPI_Win_flush_local(a.target, handle));
    }

    // ---- atomic accesses of the library

    private void accumulate(Access a) {
        long place = places[a.target] + a.targetOffset;
        long own = Types.inWindow(a.type), op = NativeOp.ofAccumulate(operation(a));
        give(
                a,
                data -> TargetRuns.each(
                        this,
                        a.targetLayout,
                        a.bytes,
                        a.type,
                        (from, bytes, at, count, type) -> MPI_Accumulate(
                                TypedTransfers.slice(data, from),
                                (int) (bytes / a.type.bytes()),
                                own,
                                a.target,
                                place + at,
                                count,
                                type,
                                op,
                                handle)));
    }

    private void getAccumulate(Access a) {
        long place = places[a.target] + a.targetOffset;
        long own = Types.inWindow(a.type), op = NativeOp.ofAccumulate(operation(a));
        withCopy(
                a,
                a.origin,
                data -> take(a, a.result, result -> {
                    TargetRuns.each(this, a.targetLayout, a.bytes, a.type, (from, bytes, at, count, type) -> {
                        int elements = (int) (bytes / a.type.bytes());
                        return MPI_Get_accumulate(
                                TypedTransfers.slice(data, from),
                                elements,
                                own,
                                TypedTransfers.slice(result, from),
                                elements,
                                own,
                                a.target,
                                place + at,
                                count,
                                type,
                                op,
                                handle);
                    });
                    flushLocal(a);
                }));
    }

    private void compareAndSwap(Access a) {
        long place = places[a.target] + a.targetOffset;
        withCopy(
                a,
                a.origin,
                data -> withCopy(
                        a,
                        a.compare,
                        compare -> take(a, a.result, result -> {
                            check(MPI_Compare_and_swap(
                                    data, compare, result, Types.inWindow(a.type), a.target, place, handle));
                            flushLocal(a);
                        })));
    }

    private static Reduction operation(Access a) {
        Reduction op = a.op;
        if (op == null) throw new IllegalStateException(a.kind + " without an operation");
        return op;
    }

    // ---- atomic accesses in Java

    private void runByJava(Access a) {
        lock.acquire(a);
        try {
            Staging.Block block = staging.take(a.bytes);
            try {
                update(a, block.segment());
            } finally {
                staging.give(block);
            }
        } finally {
            lock.release(a);
        }
    }

    /// Updates the target's data under the target's lock. `there` is the memory into which the target's data is
    /// read.
    private void update(Access a, MemorySegment there) {
        Reduction op = a.op;
        if (op != WindowReduction.REPLACE || a.kind != Kind.ACCUMULATE) {
            transfer(a, there, false);
            flushLocal(a);
        }
        // compare before the result is written: the result may overwrite the compared operand
        boolean swaps = a.kind == Kind.COMPARE_AND_SWAP
                && MemorySegment.mismatch(there, 0, a.bytes, a.compare.memory.segment(), 0, a.bytes) < 0;
        if (a.kind != Kind.ACCUMULATE) a.result.unpack(there, a.bytes);
        if (op == WindowReduction.NO_OP) return;
        if (a.kind == Kind.COMPARE_AND_SWAP) {
            if (!swaps) return;
            a.origin.pack(there, a.bytes);
        } else if (op == WindowReduction.REPLACE) {
            a.origin.pack(there, a.bytes);
        } else {
            withCopy(a, a.origin, data -> operation(a).apply(a.type, data, 0, there, 0, a.bytes / a.type.size()));
        }
        transfer(a, there, true);
        check(MPI_Win_flush(a.target, handle));
    }

    // ---- operands

    /// An operation on an operand's packed bytes, off the heap.
    private interface Use {
        void with(MemorySegment data);
    }

    /// Passes the origin's data to `use`. The library may read the data until the next flush.
    private void give(Access a, Use use) {
        if (a.bytes <= SHORT_BYTES) {
            giveCopy(a, use);
        } else {
            withCopy(a, a.origin, data -> {
                use.with(data);
                flushLocal(a);
            });
        }
    }

    /// Passes a copy in [#room] to `use`. Only one thread at a time does so, and the memory is reused only
    /// after the library has received the data.
    private synchronized void giveCopy(Access a, Use use) {
        MemorySegment all = room;
        if (all == null) room = all = Arena.ofAuto().allocate(ROOM_BYTES, NativeWindow.ALIGNMENT);
        if (ROOM_BYTES - used < a.bytes) {
            check(MPI_Win_flush_local_all(handle));
            used = 0;
        }
        MemorySegment copy = all.asSlice(used, a.bytes);
        used += a.bytes + Long.BYTES - 1 & -Long.BYTES;
        a.origin.pack(copy, a.bytes);
        use.with(copy);
    }

    /// Passes a copy of an operand to `use`, which may read the copy only during the call. The program's memory
    /// is not passed to the library: the program may close this memory too early, or the memory may be the
    /// target of the access.
    private void withCopy(Access a, Operand from, Use use) {
        Staging.Block block = staging.take(a.bytes);
        try {
            from.pack(block.segment(), a.bytes);
            use.with(block.segment());
        } finally {
            staging.give(block);
        }
    }

    /// Like [#withCopy], for an operand into which data is written.
    private void take(Access a, Operand to, Use use) {
        Staging.Block block = staging.take(a.bytes);
        try {
            use.with(block.segment());
            to.unpack(block.segment(), a.bytes);
        } finally {
            staging.give(block);
        }
    }
}
