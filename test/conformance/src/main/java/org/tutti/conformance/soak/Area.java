package org.tutti.conformance.soak;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Mpi;

/// A block of one kind of memory.
final class Area {
    /// The kinds of memory.
    enum Kind {
        HEAP,
        NATIVE,
        ALLOCATED
    }

    /// Fills the memory around a receive buffer, which no call may change, and the memory of a sent message
    /// after the send is complete.
    private static final byte POISON = 0x5a;

    static final int KINDS = Kind.values().length;

    private final byte @Nullable [] array;
    private final MemorySegment memory;

    Area(Mpi mpi, Kind kind, int bytes) {
        array = kind == Kind.HEAP ? new byte[bytes] : null;
        memory = switch (kind) {
            case HEAP -> MemorySegment.ofArray(array);
            case NATIVE -> Arena.ofAuto().allocate(bytes);
            case ALLOCATED -> mpi.alloc(bytes);
        };
    }

    /// Returns one area of each kind.
    static Area[] ofEachKind(Mpi mpi, int bytes) {
        Area[] areas = new Area[KINDS];
        for (Kind kind : Kind.values()) areas[kind.ordinal()] = new Area(mpi, kind, bytes);
        return areas;
    }

    MemorySegment memory() {
        return memory;
    }

    int bytes() {
        return (int) memory.byteSize();
    }

    Buf buf(int at, int bytes) {
        return array == null ? Buf.buf(memory.asSlice(at, bytes)) : Buf.buf(array, at, bytes);
    }

    void poison(int at, int bytes) {
        memory.asSlice(at, bytes).fill(POISON);
    }

    boolean isPoison(int at, int bytes) {
        for (int i = at; i < at + bytes; i++) if (memory.get(ValueLayout.JAVA_BYTE, i) != POISON) return false;
        return true;
    }
}
