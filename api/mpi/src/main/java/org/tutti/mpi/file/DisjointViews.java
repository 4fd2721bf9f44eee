package org.tutti.mpi.file;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.Tiling;

/// Decides whether the views of all ranks are disjoint. If they are, the total number of bytes written is the
/// sum over all ranks, and a part of the file with exactly that number of bytes has no holes.
final class DisjointViews {
    /// The maximum number of runs per copy of a file type. File types with more runs are not compared.
    private static final int MOST_RUNS = 4096;

    private static final long MANY = -1;

    private DisjointViews() {}

    /// Returns the decision, which is the same on all ranks; false if the comparison would take a long time.
    /// All views are ascending. Collective.
    static boolean agree(OpenFile file, String operation, FileView view) {
        long extent = view.tiling().extent();
        long[] runs = runs(view);
        long[] values = file.ranks().exchange(operation, file.port(), runs == null ? MANY : runs.length, extent);
        long most = 0;
        for (int r = 0; r < values.length; r += 2) {
            // all ranks have the same values, and therefore reach the same decision
            if (values[r] == MANY || values[r + 1] != values[1]) return false;
            most = Math.max(most, values[r]);
        }
        long[] mine = Arrays.copyOf(Objects.requireNonNull(runs), (int) most);
        return areApart(file.ranks().exchange(operation, file.port(), mine), extent);
    }

    /// Returns start and length of each run of one copy; null if the number of runs is too large, or the file
    /// type does not repeat.
    private static long @Nullable [] runs(FileView view) {
        Tiling tiling = view.tiling();
        if (tiling.runs() > MOST_RUNS || tiling.extent() <= 0) return null;
        LongStream.Builder runs = LongStream.builder();
        long displacement = view.displacement() % tiling.extent();
        tiling.visitCopy((offset, bytes) -> runs.add(displacement + offset).add(bytes));
        return runs.build().toArray();
    }

    /// Returns whether the runs remain disjoint if each run is repeated at all multiples of the extent.
    static boolean areApart(long[] runs, long extent) {
        long[][] pieces = new long[runs.length][];
        int count = 0;
        for (int i = 0; i < runs.length; i += 2) {
            long begin = Math.floorMod(runs[i], extent), bytes = runs[i + 1];
            if (bytes == 0) continue;
            long here = Math.min(bytes, extent - begin);
            pieces[count++] = new long[] {begin, begin + here};
            // the view is ascending, so the part that wraps around the extent is shorter than an extent
            if (here < bytes) pieces[count++] = new long[] {0, bytes - here};
        }
        Arrays.sort(pieces, 0, count, Comparator.comparingLong(p -> p[0]));
        for (int i = 1; i < count; i++) if (pieces[i][0] < pieces[i - 1][1]) return false;
        return true;
    }
}
