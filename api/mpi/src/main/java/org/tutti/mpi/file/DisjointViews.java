package org.tutti.mpi.file;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.Tiling;

/// Whether no byte of a file is in the views of two ranks. Then the bytes that ranks write together are as many as
/// the sum of what each writes, and a part of the file that has just as many has no holes.
final class DisjointViews {
    /// Copies of file types with more runs are not compared.
    private static final int MOST_RUNS = 4096;

    private static final long MANY = -1;

    private DisjointViews() {}

    /// Finds it on all ranks alike; may say no where it would take long to see. All views are ascending.
    /// Collective.
    static boolean agree(OpenFile file, String operation, FileView view) {
        long extent = view.tiling().extent();
        long[] runs = runs(view);
        long[] told = file.ranks().exchange(operation, file.port(), runs == null ? MANY : runs.length, extent);
        long most = 0;
        for (int r = 0; r < told.length; r += 2) {
            // the same numbers on all ranks, so that all go on or none
            if (told[r] == MANY || told[r + 1] != told[1]) return false;
            most = Math.max(most, told[r]);
        }
        long[] mine = Arrays.copyOf(Objects.requireNonNull(runs), (int) most);
        return areApart(file.ranks().exchange(operation, file.port(), mine), extent);
    }

    /// Begin and length of each run of one copy; null when they are too many, or copies do not go on.
    private static long @Nullable [] runs(FileView view) {
        Tiling tiling = view.tiling();
        if (tiling.runs() > MOST_RUNS || tiling.extent() <= 0) return null;
        LongStream.Builder runs = LongStream.builder();
        long displacement = view.displacement() % tiling.extent();
        tiling.visitCopy((offset, bytes) -> runs.add(displacement + offset).add(bytes));
        return runs.build().toArray();
    }

    /// No two runs of different copies, at any distance of whole extents, have a byte in common.
    static boolean areApart(long[] runs, long extent) {
        long[][] pieces = new long[runs.length][];
        int count = 0;
        for (int i = 0; i < runs.length; i += 2) {
            long begin = Math.floorMod(runs[i], extent), bytes = runs[i + 1];
            if (bytes == 0) continue;
            long here = Math.min(bytes, extent - begin);
            pieces[count++] = new long[] {begin, begin + here};
            // ascending: what is behind the extent's end is not as long as another one
            if (here < bytes) pieces[count++] = new long[] {0, bytes - here};
        }
        Arrays.sort(pieces, 0, count, Comparator.comparingLong(p -> p[0]));
        for (int i = 1; i < count; i++) if (pieces[i][0] < pieces[i - 1][1]) return false;
        return true;
    }
}
