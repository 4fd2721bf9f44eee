package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// A part of a type map: some runs of bytes, in the order in which they are packed. Its first packed byte
/// lies at offset 0; others may lie before or behind it. Immutable.
public abstract sealed class Piece permits ByteRun, Loop, Blocks, Parts {
    /// Nothing at all.
    public static final Piece EMPTY = new ByteRun(0);

    /// Packed length.
    final long bytes;

    Piece(long bytes) {
        this.bytes = bytes;
    }

    /// Its length when it is packed.
    public final long bytes() {
        return bytes;
    }

    /// Copies `length` packed bytes from byte `from` on: `out` of `memory`, where the piece lies at `at`, to
    /// `streamAt` in `stream`, or the other way.
    abstract void move(
            boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length);

    /// The first byte's offset, never above 0.
    abstract long low();

    /// The offset behind the last byte.
    abstract long high();

    /// Whether a short look tells that no byte is there twice.
    abstract boolean isPlain();

    /// How many runs.
    abstract long runs();

    /// Visits the runs of `length` packed bytes from byte `from` on, when the piece lies at `at`, in the order of
    /// packing. The first and the last one may be parts of a run.
    abstract void visit(long at, long from, long length, RunVisitor visitor);

    /// Whether the order of packing is that of offsets, and no byte is there twice.
    abstract boolean isAscending();

    /// One run.
    final boolean isDense() {
        return this instanceof ByteRun;
    }
}
