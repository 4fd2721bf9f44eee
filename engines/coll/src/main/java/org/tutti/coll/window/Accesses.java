package org.tutti.coll.window;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.Access;
import org.tutti.spi.Access.Kind;
import org.tutti.spi.Access.Operand;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.reduce.WindowReduction;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// Executes accesses to windows as loads and stores. A place is an offset in the job's memory, and the offsets
/// in a target's layout are relative to this place.
final class Accesses {
    /// Size of a buffer for data that is not contiguous on this rank or on the target, in bytes: a whole number
    /// of elements of every basic type.
    private static final int ROOM_BYTES = 64 << 10;

    /// Buffers for data of this rank and of the target, per thread, for all windows.
    private static final ThreadLocal<MemorySegment[]> ROOMS = ThreadLocal.withInitial(() -> new MemorySegment[] {
        MemorySegment.ofArray(new byte[ROOM_BYTES]), MemorySegment.ofArray(new byte[ROOM_BYTES])
    });

    private final SharedMemoryAccess memory;

    Accesses(SharedMemoryAccess memory) {
        this.memory = memory;
    }

    void put(Operand from, @Nullable Layout there, long at, long bytes) {
        MemorySegment here = from.memory.segment();
        Layout map = from.layout;
        if (map == null) {
            if (there == null) memory.put(here, 0, at, bytes);
            else there.unpack(memory.segment(), at, 0, here, 0, bytes);
        } else if (there == null) {
            map.pack(here, 0, 0, memory.segment(), at, bytes);
        } else {
            MemorySegment room = ROOMS.get()[0];
            for (long done = 0; done < bytes; done += ROOM_BYTES) {
                long n = Math.min(ROOM_BYTES, bytes - done);
                map.pack(here, 0, done, room, 0, n);
                there.unpack(memory.segment(), at, done, room, 0, n);
            }
        }
    }

    void get(Operand to, @Nullable Layout there, long at, long bytes) {
        MemorySegment here = to.memory.segment();
        Layout map = to.layout;
        if (map == null) {
            if (there == null) memory.take(at, here, 0, bytes);
            else there.pack(memory.segment(), at, 0, here, 0, bytes);
        } else if (there == null) {
            map.unpack(here, 0, 0, memory.segment(), at, bytes);
        } else {
            MemorySegment room = ROOMS.get()[0];
            for (long done = 0; done < bytes; done += ROOM_BYTES) {
                long n = Math.min(ROOM_BYTES, bytes - done);
                there.pack(memory.segment(), at, done, room, 0, n);
                map.unpack(here, 0, done, room, 0, n);
            }
        }
    }

    /// Executes an atomic access. The caller holds the target's lock.
    void update(Access a, long at) {
        // compare before the result is written: the result may overwrite the compared operand
        boolean swaps = a.kind == Kind.COMPARE_AND_SWAP && isThere(a.compare.memory.segment(), at, a.bytes);
        if (a.kind != Kind.ACCUMULATE) get(a.result, a.targetLayout, at, a.bytes);
        Reduction op = a.op;
        if (a.kind == Kind.COMPARE_AND_SWAP) {
            if (swaps) put(a.origin, null, at, a.bytes);
        } else if (op == WindowReduction.REPLACE) {
            put(a.origin, a.targetLayout, at, a.bytes);
        } else if (op != null && op != WindowReduction.NO_OP) {
            combine(op, a.type, a.origin, a.targetLayout, at, a.bytes);
        }
    }

    private boolean isThere(MemorySegment expected, long at, long bytes) {
        return MemorySegment.mismatch(memory.segment(), at, at + bytes, expected, 0, bytes) < 0;
    }

    private void combine(Reduction op, ElementType type, Operand from, @Nullable Layout there, long at, long bytes) {
        MemorySegment here = from.memory.segment();
        Layout map = from.layout;
        if (map == null && there == null) {
            op.apply(type, here, 0, memory.segment(), at, bytes / type.size());
            return;
        }
        MemorySegment ours = map == null ? here : ROOMS.get()[0];
        MemorySegment theirs = there == null ? memory.segment() : ROOMS.get()[1];
        for (long done = 0; done < bytes; done += ROOM_BYTES) {
            long n = Math.min(ROOM_BYTES, bytes - done);
            if (map != null) map.pack(here, 0, done, ours, 0, n);
            if (there != null) there.pack(memory.segment(), at, done, theirs, 0, n);
            long oursAt = map == null ? done : 0, theirsAt = there == null ? at + done : 0;
            op.apply(type, ours, oursAt, theirs, theirsAt, n / type.size());
            if (there != null) there.unpack(memory.segment(), at, done, theirs, 0, n);
        }
    }
}
