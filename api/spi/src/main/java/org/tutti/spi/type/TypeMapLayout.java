package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// The type map of a complete buffer that is not contiguous. Packing and unpacking allocate no memory.
public final class TypeMapLayout implements Layout {
    private static final int UNKNOWN = 0, DISJOINT = 1, OVERLAPPING = 2;

    private final TypeMap map;

    /// Whether a byte occurs twice. Computed on the first use; concurrent threads compute the same value.
    private int overlap = UNKNOWN;

    public TypeMapLayout(TypeMap map) {
        this.map = map;
    }

    @Override
    public long lengthBytes() {
        return map.piece().bytes;
    }

    @Override
    public void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long bytes) {
        if (bytes > 0) map.piece().move(true, memory, base + map.offset(), to, toOffset, from, bytes);
    }

    @Override
    public void unpack(
            MemorySegment memory, long base, long from, MemorySegment source, long sourceOffset, long bytes) {
        if (bytes > 0) map.piece().move(false, memory, base + map.offset(), source, sourceOffset, from, bytes);
    }

    @Override
    public long runs() {
        return map.piece().runs();
    }

    @Override
    public void spans(long[] begins, long[] ends) {
        map.spans(begins, ends);
    }

    @Override
    public boolean overlaps() {
        if (overlap == UNKNOWN) overlap = map.overlaps() ? OVERLAPPING : DISJOINT;
        return overlap == OVERLAPPING;
    }
}
