package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A range of the packed bytes of a buffer that is not contiguous.
///
/// @param from the first packed byte of `whole`
public record LayoutPart(Layout whole, long from, long lengthBytes) implements Layout {
    @Override
    public void pack(MemorySegment memory, long base, long start, MemorySegment to, long toOffset, long bytes) {
        whole.pack(memory, base, from + start, to, toOffset, bytes);
    }

    @Override
    public void unpack(
            MemorySegment memory, long base, long start, MemorySegment source, long sourceOffset, long bytes) {
        whole.unpack(memory, base, from + start, source, sourceOffset, bytes);
    }

    @Override
    public long runs() {
        return clip(null, null);
    }

    @Override
    public void spans(long[] begins, long[] ends) {
        clip(begins, ends);
    }

    /// Returns the number of runs within the range. If the arrays are not null, also fills in the start and the
    /// end of each of these runs.
    private int clip(long @Nullable [] begins, long @Nullable [] ends) {
        int all = Math.toIntExact(whole.runs());
        long[] from = new long[all], to = new long[all];
        whole.spans(from, to);
        int count = 0;
        long packed = -this.from;
        for (int i = 0; i < all; i++) {
            long length = to[i] - from[i];
            long first = Math.max(packed, 0), last = Math.min(packed + length, lengthBytes);
            if (first < last) {
                if (begins != null && ends != null) {
                    begins[count] = from[i] + first - packed;
                    ends[count] = from[i] + last - packed;
                }
                count++;
            }
            packed += length;
        }
        return count;
    }

    @Override
    public boolean overlaps() {
        return whole.overlaps();
    }
}
