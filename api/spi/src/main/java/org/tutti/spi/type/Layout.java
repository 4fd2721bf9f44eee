package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// The layout of a buffer that is not contiguous, or that Java cannot read. An engine uses the layout to copy
/// packed bytes between the program's memory and internal memory. Thread-safe.
public interface Layout {
    /// Returns the packed length.
    long lengthBytes();

    /// Copies `bytes` packed bytes out of `memory`, starting at packed byte `from`. The buffer's first byte is
    /// at offset `base` of `memory`.
    void pack(MemorySegment memory, long base, long from, MemorySegment to, long toOffset, long bytes);

    /// Stores packed bytes in `memory`. This is the inverse of [#pack].
    void unpack(MemorySegment memory, long base, long from, MemorySegment source, long sourceOffset, long bytes);

    /// Returns the number of contiguous runs.
    long runs();

    /// Fills in the start and the end of each run, in the order of packing. The values are relative to the
    /// buffer's first byte.
    void spans(long[] begins, long[] ends);

    /// Returns whether the buffer contains a byte more than once. Such a buffer can be sent, but cannot be used
    /// to receive.
    boolean overlaps();
}
