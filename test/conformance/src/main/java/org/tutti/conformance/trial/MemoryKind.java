package org.tutti.conformance.trial;

import org.tutti.mpi.Datatype;

/// The kinds of memory of a buffer.
public enum MemoryKind {
    ARRAY,
    SLICE,
    NATIVE,
    ALLOC,
    DIRECT_NIO,
    HEAP_NIO,
    ROWS;

    private static final MemoryKind[] ALL = values();

    /// Returns this kind, or a different kind if the API has no buffer of this kind for `type`.
    MemoryKind forType(Datatype type) {
        boolean isBoolean = type == Datatype.BOOLEAN;
        return switch (this) {
            case DIRECT_NIO, HEAP_NIO -> isBoolean ? NATIVE : this;
            case ROWS -> isBoolean || type == Datatype.CHAR || type == Datatype.SHORT ? ARRAY : this;
            case ARRAY, SLICE, NATIVE, ALLOC -> this;
        };
    }

    /// Returns the kind `steps` further on, so that each rank of a call can use a different kind.
    public MemoryKind plus(int steps) {
        return ALL[(ordinal() + steps) % ALL.length];
    }
}
