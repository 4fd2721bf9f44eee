package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// Where a buffer's bytes lie that are not one run of memory that Java reads: what an engine copies with when it
/// moves packed bytes between the user's memory and its own. Any thread may call its methods.
public interface Layout {
    /// Packed.
    long lengthBytes();

    /// Copies `bytes` packed bytes, from the packed byte `from` on, out of `memory`, whose byte `base` is the
    /// buffer's first.
    void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long bytes);

    /// The other way: puts packed bytes where they belong.
    void unpack(MemorySegment memory, long base, long from, MemorySegment source, long sourceOffset, long bytes);

    /// Of how many runs of bytes it consists.
    long runs();

    /// Fills in where each run begins, counted from the buffer's first byte, and where it ends, in the order of
    /// packing.
    void spans(long[] begins, long[] ends);

    /// Whether some byte belongs to the buffer twice: it may be sent from, but not received into.
    boolean overlaps();
}
