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

/// The accesses of a window, as calls of the library. Short data that is put waits in [#room] for the next flush;
/// of all else the operands are free, and the results there, when a call returns.
///
/// Atomic accesses to `INT`, `LONG`, `FLOAT` and `DOUBLE` are the library's own. Those to other types are made by a
/// lock of the target, a get, Java, and a put: libraries add and compare 8 and 16 bits wrongly (see [NativeOp]),
/// and take no `BOOLEAN`, pair or complex number everywhere. No type has both.
final class RemoteAccesses {
    /// What is longer is not copied into [#room].
    private static final long SHORT_BYTES = 16 << 10;

    private static final long ROOM_BYTES = 256 << 10;

    private final NativeWindows windows;
    private final LibraryWindow library;
    private final long handle;
    private final long[] places;
    private final AccumulateLock lock;
    private final Staging staging;

    /// Where copies of short data lie until they are flushed. From the first byte on; when it is full, all is
    /// flushed.
    private @Nullable MemorySegment room;

    private long used;

    /// @param places the displacement in the library's window from which on the memory of each rank lies
    /// @param lock for what the library does not make atomic
    RemoteAccesses(NativeWindows windows, LibraryWindow library, long[] places, AccumulateLock lock, Staging staging) {
        this.windows = windows;
        this.library = library;
        handle = library.handle();
        this.places = places;
        this.lock = lock;
        this.staging = staging;
    }

    /// Throws what an error code of the library says.
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

    /// This rank has closed the window.
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

    // ---- atomic ones of the library

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
        lend(
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
        lend(
                a,
                a.origin,
                data -> lend(
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

    // ---- atomic ones of Java

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

    /// With the target's lock: `there` is for what is there.
    private void update(Access a, MemorySegment there) {
        Reduction op = a.op;
        if (op != WindowReduction.REPLACE || a.kind != Kind.ACCUMULATE) {
            transfer(a, there, false);
            flushLocal(a);
        }
        // before the result is written, which may be the memory that is compared
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
            lend(a, a.origin, data -> operation(a).apply(a.type, data, 0, there, 0, a.bytes / a.type.size()));
        }
        transfer(a, there, true);
        check(MPI_Win_flush(a.target, handle));
    }

    // ---- where the operands lie

    /// What is done with an operand's packed bytes, off the heap.
    private interface Use {
        void with(MemorySegment data);
    }

    /// The origin, which the library reads until it is flushed.
    private void give(Access a, Use use) {
        if (a.bytes <= SHORT_BYTES) {
            giveCopy(a, use);
        } else {
            lend(a, a.origin, data -> {
                use.with(data);
                flushLocal(a);
            });
        }
    }

    /// A copy in [#room]. Other threads wait: the room is not reused before the library has been given the data.
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

    /// A copy of an operand that is read while `use` lasts. Memory of the program's own is not given to the
    /// library: the program may close it before the library is done, or it lies where the access goes.
    private void lend(Access a, Operand from, Use use) {
        Staging.Block block = staging.take(a.bytes);
        try {
            from.pack(block.segment(), a.bytes);
            use.with(block.segment());
        } finally {
            staging.give(block);
        }
    }

    /// The same of one that is written then.
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
