package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// A type map that is repeated without an end, `extent` bytes from one copy to the next: what the data of a file
/// view is (MPI 4.1, section 14.1.1). Its packed bytes are numbered from 0. Every method may be called by any
/// thread.
public final class Tiling {
    /// Bytes one after the other.
    public static final Tiling BYTES = new Tiling(TypeMap.run(1), 1);

    private final TypeMap tile;
    private final long extent;

    /// Packed bytes of one copy.
    private final long each;

    private final boolean ascending;

    public Tiling(TypeMap tile, long extent) {
        this.tile = tile;
        this.extent = extent;
        each = tile.piece().bytes;
        boolean apart = !tile.isEmpty() && extent >= tile.piece().high();
        ascending = tile.isEmpty() || apart && tile.piece().isAscending();
    }

    /// Whether it has no bytes at all.
    public boolean isEmpty() {
        return each == 0;
    }

    /// Whether all bytes lie one after the other.
    public boolean isDense() {
        return each > 0 && each == extent && tile.isDense();
    }

    /// Whether the order of packing is that of offsets, and no byte is there twice.
    public boolean isAscending() {
        return ascending;
    }

    /// Whether no run of bytes of a copy begins before the one before it. Looks at all of them.
    public boolean isInOrder() {
        long[] last = {Long.MIN_VALUE};
        boolean[] inOrder = {true};
        tile.piece().visit(0, 0, each, (offset, _) -> {
            inOrder[0] &= offset >= last[0];
            last[0] = offset;
        });
        return inOrder[0];
    }

    /// The lowest offset of the first copy.
    public long low() {
        return tile.low();
    }

    /// How far it is from one copy to the next.
    public long extent() {
        return extent;
    }

    /// Of how many runs a copy consists.
    public long runs() {
        return isEmpty() ? 0 : tile.piece().runs();
    }

    /// How long runs of bytes are on average.
    public long averageRun() {
        return isDense() ? Long.MAX_VALUE : each / tile.piece().runs();
    }

    /// How far it is on average from the begin of one run to that of the next.
    public long averageStep() {
        return extent / tile.piece().runs();
    }

    /// Where a packed byte lies.
    ///
    /// @throws ArithmeticException when that is no `long`
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

    /// How many packed bytes lie before `offset`; of an ascending one alone.
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

    /// Visits the runs of `length` packed bytes from byte `from` on, in the order of packing; runs that touch may
    /// be visited as one or as several.
    public void visit(long from, long length, RunVisitor visitor) {
        if (length <= 0) return;
        if (isDense()) visitor.run(tile.offset() + from, length);
        else Loop.visitEach(tile.piece(), extent, tile.offset(), from, length, visitor);
    }

    /// Visits the runs of the first copy.
    public void visitCopy(RunVisitor visitor) {
        visit(0, each, visitor);
    }

    /// Copies `length` packed bytes from byte `from` on out of `memory`, which has what lies from the offset `base`
    /// on.
    public void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long length) {
        move(true, memory, base, from, to, toOffset, length);
    }

    /// The other way: puts packed bytes where they belong.
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
