package org.tutti.mpi.devices;

import java.util.Arrays;
import org.tutti.spi.type.Layout;

/// The bytes of a memory that belong to elements of a derived type, as runs of bytes in packing order.
/// Immutable. MPI 4.1, section 5.1.
public final class PackedRuns {
    /// The maximum number of runs. Two numbers are stored for each run.
    private static final int MOST = 1 << 26;

    private final long[] begins;

    /// The offset of each run in the packed bytes, and the end of the last run.
    private final long[] offsets;

    private final long alignment;
    private final boolean isRegular;
    private final boolean overlaps;

    /// @throws IllegalArgumentException if the layout has too many runs
    public PackedRuns(Layout map, long base) {
        if (map.runs() > MOST) {
            throw new IllegalArgumentException(
                    map.runs() + " runs of bytes exceed the limit of " + MOST + "; send it in parts");
        }
        int count = (int) map.runs();
        begins = new long[count];
        long[] limits = new long[count];
        map.spans(begins, limits);
        offsets = new long[count + 1];
        long bits = Long.BYTES;
        boolean regular = count > 0;
        for (int i = 0; i < count; i++) {
            begins[i] += base;
            limits[i] += base;
            long bytes = limits[i] - begins[i];
            offsets[i + 1] = offsets[i] + bytes;
            bits |= begins[i] | bytes;
            regular &= bytes == offsets[1] && (i < 2 || begins[i] - begins[i - 1] == begins[1] - begins[0]);
        }
        alignment = Long.lowestOneBit(bits);
        isRegular = regular;
        overlaps = map.overlaps();
    }

    /// Returns the number of runs.
    public int count() {
        return begins.length;
    }

    /// Returns the offset of run `i` in the memory, in bytes.
    public long begin(int i) {
        return begins[i];
    }

    /// Returns the offset of run `i` in the packed bytes; if `i` is [#count], the total size of all runs.
    public long offset(int i) {
        return offsets[i];
    }

    /// Returns the index of the run that contains a packed byte.
    public int find(long packed) {
        int i = Arrays.binarySearch(offsets, packed);
        return i < 0 ? -i - 2 : i;
    }

    /// Returns the largest of 1, 2, 4 and 8 that divides all offsets and sizes.
    public long alignment() {
        return alignment;
    }

    /// Returns whether all runs have the same size and the same distance from the preceding run.
    public boolean isRegular() {
        return isRegular;
    }

    /// Returns whether two runs have a common byte.
    public boolean overlaps() {
        return overlaps;
    }

    /// Calls `copy` for each contiguous part of the `bytes` packed bytes that start at packed byte `from`.
    public void forEachPart(long from, long bytes, Part copy) {
        long end = from + bytes;
        for (int i = find(from); i < count() && offset(i) < end; i++) {
            long first = Math.max(from, offset(i)), last = Math.min(end, offset(i + 1));
            if (first < last) copy.copy(first - from, begin(i) + first - offset(i), last - first);
        }
    }

    /// Called for one contiguous part.
    public interface Part {
        /// @param at the offset of the part within these packed bytes, relative to `from`
        /// @param place the offset in the memory
        void copy(long at, long place, long bytes);
    }
}
