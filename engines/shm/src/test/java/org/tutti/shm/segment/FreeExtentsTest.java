package org.tutti.shm.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FreeExtentsTest {
    private static final int LINE = 64, PAGE = 4096, LINES = 4096;

    private record Taken(long at, long bytes) {}

    private final FreeExtents free = new FreeExtents();

    @Test
    void takesTheSmallestSufficientExtent() {
        free.give(0, 640);
        free.give(1024, 128);
        free.give(2048, 256);
        assertThat(free.take(128, LINE)).isEqualTo(1024);
        assertThat(free.take(128, LINE)).isEqualTo(2048);
        assertThat(free.take(128, LINE)).isEqualTo(2176);
        assertThat(free.take(640, LINE)).isZero();
        assertThat(free.take(64, LINE)).isEqualTo(-1);
    }

    @Test
    void mergesAdjacentExtents() {
        free.give(0, 64);
        free.give(128, 64);
        assertThat(free.take(128, LINE)).isEqualTo(-1);
        free.give(64, 64);
        assertThat(free.take(192, LINE)).isZero();
    }

    @Test
    void keepsTheBytesBeforeAnAlignedExtent() {
        free.give(64, 2 * PAGE);
        assertThat(free.take(PAGE, PAGE)).isEqualTo(PAGE);
        assertThat(free.take(PAGE, PAGE)).isEqualTo(-1);
        assertThat(free.take(PAGE - 64, LINE)).isEqualTo(64);
    }

    /// Compares with a set of bits, one for each line of memory.
    @Test
    void noExtentIsTakenTwiceOrLost() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        BitSet there = new BitSet();
        List<Taken> taken = new ArrayList<>();
        free.give(0, (long) LINES * LINE);
        there.set(0, LINES);
        for (int i = 0; i < 20_000; i++) {
            if (random.nextBoolean() || taken.isEmpty()) {
                boolean paged = random.nextInt(4) == 0;
                int lines = paged ? PAGE / LINE * (1 + random.nextInt(4)) : 1 + random.nextInt(60);
                long at = free.take((long) lines * LINE, paged ? PAGE : LINE);
                if (at < 0) continue;
                int first = (int) (at / LINE);
                assertThat(at % (paged ? PAGE : LINE)).as("seed %d", seed).isZero();
                assertThat(there.nextClearBit(first)).as("seed %d", seed).isGreaterThanOrEqualTo(first + lines);
                there.clear(first, first + lines);
                taken.add(new Taken(at, (long) lines * LINE));
            } else {
                Taken t = taken.remove(random.nextInt(taken.size()));
                free.give(t.at, t.bytes);
                there.set((int) (t.at / LINE), (int) ((t.at + t.bytes) / LINE));
            }
        }
        for (Taken t : taken) free.give(t.at, t.bytes);
        assertThat(free.take((long) LINES * LINE, LINE)).as("seed %d", seed).isZero();
    }
}
