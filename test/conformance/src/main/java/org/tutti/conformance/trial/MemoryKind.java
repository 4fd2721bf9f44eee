package org.tutti.conformance.trial;

import org.tutti.mpi.Datatype;

/// Where data may lie.
public enum MemoryKind {
    ARRAY,
    SLICE,
    NATIVE,
    ALLOC,
    DIRECT_NIO,
    HEAP_NIO,
    ROWS;

    private static final MemoryKind[] ALL = values();

    /// This kind, or one that stands in for it where the API has no such buffer of `type`.
    MemoryKind forType(Datatype type) {
        boolean isBoolean = type == Datatype.BOOLEAN;
        return switch (this) {
            case DIRECT_NIO, HEAP_NIO -> isBoolean ? NATIVE : this;
            case ROWS -> isBoolean || type == Datatype.CHAR || type == Datatype.SHORT ? ARRAY : this;
            case ARRAY, SLICE, NATIVE, ALLOC -> this;
        };
    }

    /// The kind `steps` further, so that ranks of one call have different ones.
    public MemoryKind plus(int steps) {
        return ALL[(ordinal() + steps) % ALL.length];
    }
}
