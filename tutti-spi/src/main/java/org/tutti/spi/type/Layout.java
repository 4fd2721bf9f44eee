package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// The type map of a whole buffer that is not one run of bytes: what an engine copies with when it moves
/// packed bytes between the user's memory and its own. Every method may be called by any thread, and
/// allocates nothing.
public final class Layout {
    private static final int UNKNOWN = 0, DISJOINT = 1, OVERLAPPING = 2;

    private final Placed map;

    /// Found out when it is first asked for; whoever asks at the same time finds the same.
    private int overlap = UNKNOWN;

    public Layout(Placed map) {
        this.map = map;
    }

    /// Packed.
    public long lengthBytes() {
        return map.piece().bytes;
    }

    /// Copies `bytes` packed bytes, from the packed byte `from` on, out of `memory`, whose byte `base` is the
    /// buffer's first.
    public void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long bytes) {
        if (bytes > 0) map.piece().move(true, memory, base + map.offset(), to, toOffset, from, bytes);
    }

    /// The other way: puts packed bytes where they belong.
    public void unpack(
            MemorySegment memory, long base, long from, MemorySegment source, long sourceOffset, long bytes) {
        if (bytes > 0) map.piece().move(false, memory, base + map.offset(), source, sourceOffset, from, bytes);
    }

    /// Of how many runs of bytes it consists.
    public long runs() {
        return map.piece().runs();
    }

    /// Fills in where each run begins, counted from the buffer's first byte, and where it ends, in the order of
    /// packing.
    public void spans(long[] begins, long[] ends) {
        map.spans(begins, ends);
    }

    /// Whether some byte belongs to the buffer twice: it may be sent from, but not received into.
    public boolean overlaps() {
        if (overlap == UNKNOWN) overlap = map.overlaps() ? OVERLAPPING : DISJOINT;
        return overlap == OVERLAPPING;
    }
}
