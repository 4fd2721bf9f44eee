package org.tutti.conformance.contract.collective;

import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;

/// Blocks of 0 to `2 * step` elements, if required in reverse order with gaps.
final class BlockShapes {
    final long[] counts;
    final long[] displacements;
    final int length;

    BlockShapes(Trial t, int step, boolean reverse) {
        this(lengths(t.size(), step), reverse);
    }

    BlockShapes(long[] counts, boolean reverse) {
        int n = counts.length;
        this.counts = counts;
        displacements = new long[n];
        int at = 1;
        for (int k = 0; k < n; k++) {
            int r = reverse ? n - 1 - k : k;
            displacements[r] = at;
            at += (int) counts[r] + k % 3;
        }
        length = at + 2;
    }

    static long[] lengths(int ranks, int step) {
        long[] counts = new long[ranks];
        for (int r = 0; r < ranks; r++) counts[r] = (long) step * ((r + 2) % 3);
        return counts;
    }

    Buf of(Buf whole) {
        return whole.blocks(counts, displacements);
    }

    int count(int rank) {
        return (int) counts[rank];
    }

    /// Returns the position of element `i` of block `rank`.
    int place(int rank, int i) {
        return (int) displacements[rank] + i;
    }

    /// Returns element `i` of the whole buffer if block r contains the first values of rank r.
    long expected(Row row, int i) {
        for (int r = 0; r < counts.length; r++) {
            long in = i - displacements[r];
            if (in >= 0 && in < counts[r]) return row.value(r, (int) in);
        }
        return row.value(-1, i);
    }
}
