package org.tutti.mpi.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DisjointViewsTest {
    /// Compares the results with those of a simple algorithm, which marks each byte of the runs.
    @Test
    void runsAreApartWhenNoByteIsInTwo() {
        SplittableRandom random = new SplittableRandom(20);
        int[] found = new int[2];
        for (int trial = 0; trial < 20_000; trial++) {
            int extent = random.nextInt(1, 24);
            long[] runs = new long[2 * random.nextInt(1, 6)];
            for (int i = 0; i < runs.length; i += 2) {
                runs[i] = random.nextInt(0, 3 * extent);
                runs[i + 1] = random.nextInt(0, Math.min(extent, 6) + 1);
            }
            boolean apart = isApartByteByByte(runs, extent);
            assertThat(DisjointViews.areApart(runs, extent))
                    .as("%s of %s", runs, extent)
                    .isEqualTo(apart);
            found[apart ? 1 : 0]++;
        }
        assertThat(found[0]).isGreaterThan(1000);
        assertThat(found[1]).isGreaterThan(1000);
    }

    private static boolean isApartByteByByte(long[] runs, int extent) {
        boolean[] taken = new boolean[extent];
        for (int i = 0; i < runs.length; i += 2) {
            for (long at = runs[i]; at < runs[i] + runs[i + 1]; at++) {
                int place = (int) (at % extent);
                if (taken[place]) return false;
                taken[place] = true;
            }
        }
        return true;
    }
}
