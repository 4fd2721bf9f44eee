package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// A part of a type map: runs of bytes in the order of packing. The first packed byte has offset 0; other bytes
/// may have lower or higher offsets. Immutable.
public abstract sealed class Piece permits ByteRun, Loop, Blocks, Parts {
    /// A piece without bytes.
    public static final Piece EMPTY = new ByteRun(0);

    /// The packed length.
    final long bytes;

    Piece(long bytes) {
        this.bytes = bytes;
    }

    /// Returns the packed length.
    public final long bytes() {
        return bytes;
    }

    /// Copies `length` packed bytes, starting at packed byte `from`, between `memory`, in which the piece is at
    /// offset `at`, and `stream`, at offset `streamAt`. The bytes are copied out of `memory` if `out` is set,
    /// otherwise into `memory`.
    abstract void move(
            boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length);

    /// Returns the lowest offset of a byte, which is at most 0.
    abstract long low();

    /// Returns the offset after the byte with the highest offset.
    abstract long high();

    /// Returns whether a fast check can prove that no byte occurs twice.
    abstract boolean isPlain();

    /// Returns the number of runs.
    abstract long runs();

    /// Visits the contiguous runs that hold `length` packed bytes from packed byte `from` on, in the order of
    /// packing. The piece is at offset `at`. The first and the last run can be partial.
    abstract void visit(long at, long from, long length, RunVisitor visitor);

    /// Returns whether the order of packing is the order of offsets and no byte occurs twice.
    abstract boolean isAscending();

    /// Returns whether the piece is a single run.
    final boolean isDense() {
        return this instanceof ByteRun;
    }
}
