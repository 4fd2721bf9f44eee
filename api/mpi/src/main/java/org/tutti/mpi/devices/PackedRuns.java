package org.tutti.mpi;

import java.util.Arrays;
import org.tutti.spi.type.Layout;

/// Which bytes of a memory belong to elements of a derived type: runs of bytes, in the order in which they are
/// packed. For a [DeviceMemory] that packs by itself. Never changes. Everything here is local. MPI 4.1,
/// section 5.1.
public final class Runs {
    /// Three numbers are kept of each.
    private static final int MOST = 1 << 26;

    private final long[] begins;

    /// Where each begins when they are packed, and where the last one ends.
    private final long[] offsets;

    private final long alignment;
    private final boolean isRegular;
    private final boolean overlaps;

    Runs(Layout map, long base) {
        if (map.runs() > MOST) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    "buf",
                    map.runs() + " runs of bytes are more than " + MOST + "; send it in parts",
                    null);
        }
        int count = (int) map.runs();
        begins = new long[count];
        long[] ends = new long[count];
        map.spans(begins, ends);
        offsets = new long[count + 1];
        long bits = Long.BYTES;
        boolean regular = count > 0;
        for (int i = 0; i < count; i++) {
            begins[i] += base;
            ends[i] += base;
            long bytes = ends[i] - begins[i];
            offsets[i + 1] = offsets[i] + bytes;
            bits |= begins[i] | bytes;
            regular &= bytes == offsets[1] && (i < 2 || begins[i] - begins[i - 1] == begins[1] - begins[0]);
        }
        alignment = Long.lowestOneBit(bits);
        isRegular = regular;
        overlaps = map.overlaps();
    }

    /// How many there are.
    public int count() {
        return begins.length;
    }

    /// Where run `i` begins in the memory, in bytes.
    public long begin(int i) {
        return begins[i];
    }

    /// Where run `i` begins when they are packed; of [#count], how many bytes all have.
    public long offset(int i) {
        return offsets[i];
    }

    /// In which run a packed byte lies.
    public int find(long packed) {
        int i = Arrays.binarySearch(offsets, packed);
        return i < 0 ? -i - 2 : i;
    }

    /// The largest of 1, 2, 4 and 8 bytes of which all begins and lengths are multiples.
    public long alignment() {
        return alignment;
    }

    /// Whether all are equally long, and each begins as far behind the one before as the others do.
    public boolean isRegular() {
        return isRegular;
    }

    /// Whether a byte belongs to two of them.
    boolean overlaps() {
        return overlaps;
    }
}
