package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// An endless repetition of a type map at a distance of `extent` bytes: the data of a file view (MPI 4.1,
/// section 14.1.1). The packed bytes are numbered from 0. Thread-safe.
public final class Tiling {
    /// Contiguous bytes.
    public static final Tiling BYTES = new Tiling(TypeMap.run(1), 1);

    private final TypeMap tile;
    private final long extent;

    /// The number of packed bytes of each copy.
    private final long each;

    private final boolean ascending;

    public Tiling(TypeMap tile, long extent) {
        this.tile = tile;
        this.extent = extent;
        each = tile.piece().bytes;
        boolean apart = !tile.isEmpty() && extent >= tile.piece().high();
        ascending = tile.isEmpty() || apart && tile.piece().isAscending();
    }

    /// Returns whether the type map has no bytes.
    public boolean isEmpty() {
        return each == 0;
    }

    /// Returns whether all bytes are contiguous.
    public boolean isDense() {
        return each > 0 && each == extent && tile.isDense();
    }

    /// Returns whether the order of packing is the order of offsets and no byte occurs twice.
    public boolean isAscending() {
        return ascending;
    }

    /// Returns whether no run of a copy starts at a lower offset than the previous run. Checks all runs.
    public boolean isInOrder() {
        long[] last = {Long.MIN_VALUE};
        boolean[] inOrder = {true};
        tile.piece().visit(0, 0, each, (offset, _) -> {
            inOrder[0] &= offset >= last[0];
            last[0] = offset;
        });
        return inOrder[0];
    }

    /// Returns the lowest offset of the first copy.
    public long low() {
        return tile.low();
    }

    /// Returns the distance between copies.
    public long extent() {
        return extent;
    }

    /// Returns the number of runs of a copy.
    public long runs() {
        return isEmpty() ? 0 : tile.piece().runs();
    }

    /// Returns the average length of a run; [Long#MAX_VALUE] if all bytes are contiguous.
    public long averageRun() {
        return isDense() ? Long.MAX_VALUE : each / tile.piece().runs();
    }

    /// Returns the average distance between the starts of two consecutive runs.
    public long averageStep() {
        return extent / tile.piece().runs();
    }

    /// Returns the offset of a packed byte.
    ///
    /// @throws ArithmeticException if the offset does not fit into a `long`
    public long offset(long packed) {
        long begin = Math.addExact(Math.multiplyExact(packed / each, extent), tile.offset());
        return Math.addExact(begin, offsetInTile(packed % each));
    }

    private long offsetInTile(long packed) {
        if (tile.isDense()) return packed;
        long[] found = new long[1];
        tile.piece().visit(0, packed, 1, (offset, _) -> found[0] = offset);
        return found[0];
    }

    /// Returns the number of packed bytes with offsets below `offset`. The tiling must be ascending.
    public long below(long offset) {
        long at = offset - tile.offset();
        if (isEmpty() || at <= 0) return 0;
        long copies = at / extent, within = at % extent;
        long low = 0;
        for (long high = each; low < high; ) {
            long middle = (low + high) >>> 1;
            if (offsetInTile(middle) < within) low = middle + 1;
            else high = middle;
        }
        return copies * each + low;
    }

    /// Visits the runs that contain the packed bytes from `from` to `from + length`, in the order of packing.
    /// Adjacent runs may be combined.
    public void visit(long from, long length, RunVisitor visitor) {
        if (length <= 0) return;
        if (isDense()) visitor.run(tile.offset() + from, length);
        else Loop.visitEach(tile.piece(), extent, tile.offset(), from, length, visitor);
    }

    /// Visits the runs of the first copy.
    public void visitCopy(RunVisitor visitor) {
        visit(0, each, visitor);
    }

    /// Copies `length` packed bytes, starting at packed byte `from`, out of `memory`. The first byte of
    /// `memory` has the offset `base`.
    public void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long length) {
        move(true, memory, base, from, to, toOffset, length);
    }

    /// Stores packed bytes in `memory`. This is the inverse of [#pack].
    public void unpack(MemorySegment memory, long base, long from, MemorySegment source, long at, long length) {
        move(false, memory, base, from, source, at, length);
    }

    private void move(
            boolean out, MemorySegment memory, long base, long from, MemorySegment stream, long at, long length) {
        if (length <= 0) return;
        long begin = tile.offset() - base;
        if (isDense()) tile.piece().move(out, memory, begin + from, stream, at, 0, length);
        else Loop.repeat(tile.piece(), extent, out, memory, begin, stream, at, from, length);
    }
}
