package org.tutti.conformance.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// A small set of rows that contains each pair of values of any two factors at least once. For 8 types, 8
/// counts, 7 × 7 kinds of memory, 3 roots, 3 forms, and calls in place or not, with mixed memory or not, about
/// 90 rows suffice instead of 112,896.
final class CoveringArray {
    private static final int CANDIDATES = 8;

    private final int[] levels;
    private final boolean[][][][] covered;
    private int missing;

    private CoveringArray(int[] levels) {
        this.levels = levels;
        int n = levels.length;
        covered = new boolean[n][n][][];
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                covered[i][j] = new boolean[levels[i]][levels[j]];
                missing += levels[i] * levels[j];
            }
        }
    }

    /// @param levels the number of values of each factor
    static List<int[]> pairs(SplittableRandom random, int... levels) {
        CoveringArray array = new CoveringArray(levels);
        List<int[]> rows = new ArrayList<>();
        while (array.missing > 0) {
            int[] best = array.candidate(random);
            for (int k = 1; k < CANDIDATES; k++) {
                int[] next = array.candidate(random);
                if (array.gain(next) > array.gain(best)) best = next;
            }
            array.cover(best);
            rows.add(best);
        }
        return rows;
    }

    /// Returns a random row that contains a missing pair.
    private int[] candidate(SplittableRandom random) {
        int[] row = new int[levels.length];
        for (int i = 0; i < row.length; i++) row[i] = random.nextInt(levels[i]);
        int which = random.nextInt(missing);
        for (int i = 0; i < row.length; i++) {
            for (int j = i + 1; j < row.length; j++) {
                for (int a = 0; a < levels[i]; a++) {
                    for (int b = 0; b < levels[j]; b++) {
                        if (covered[i][j][a][b] || which-- != 0) continue;
                        row[i] = a;
                        row[j] = b;
                        return row;
                    }
                }
            }
        }
        return row;
    }

    private int gain(int[] row) {
        int gain = 0;
        for (int i = 0; i < row.length; i++) {
            for (int j = i + 1; j < row.length; j++) if (!covered[i][j][row[i]][row[j]]) gain++;
        }
        return gain;
    }

    private void cover(int[] row) {
        missing -= gain(row);
        for (int i = 0; i < row.length; i++) {
            for (int j = i + 1; j < row.length; j++) covered[i][j][row[i]][row[j]] = true;
        }
    }
}
