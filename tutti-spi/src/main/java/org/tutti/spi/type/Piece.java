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

    /// Writes where each run begins and ends, when the piece lies at `at`, from `index` on; the next index.
    abstract int spans(long at, long[] begins, long[] ends, int index);

    /// One run.
    final boolean isDense() {
        return this instanceof ByteRun;
    }
}
