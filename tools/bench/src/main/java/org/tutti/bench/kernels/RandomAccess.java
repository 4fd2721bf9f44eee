package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Updates of a table at random positions. The table is distributed over the ranks. A random number determines
/// a position. In each iteration, a rank draws a batch of random numbers and groups the numbers by the rank
/// that stores the position of the number. The ranks exchange the numbers by an alltoall of counts, then an
/// alltoall of numbers. Each number is added to the element at the number's position.
final class RandomAccess implements ApplicationKernel {
    private static final int MIN_WORD_COUNT = 1 << 20, BATCH = 1024;

    private final Comm world;
    private final int me, ranks;

    /// The number of elements of the whole table, and the index of the first element on this rank.
    private final int words, first;

    private final long[] table;
    private final long[] drawn = new long[BATCH], sent = new long[BATCH], received;
    private final int[] sendCounts, recvCounts, next;

    RandomAccess(Mpi mpi, int divisor) {
        world = mpi.world();
        me = world.rank();
        ranks = world.size();
        int share = (MIN_WORD_COUNT / divisor + ranks - 1) / ranks;
        words = share * ranks;
        first = share * me;
        table = new long[share];
        received = new long[BATCH * ranks];
        sendCounts = new int[ranks];
        recvCounts = new int[ranks];
        next = new int[ranks];
    }

    @Override
    public void run(int iterations) {
        for (int k = 0; k < iterations; k++) {
            draw(batch(k), drawn, sendCounts);
            sort(drawn, sendCounts, next, sent);
            world.alltoall(buf(sendCounts), buf(recvCounts));
            int arrived = Arrays.stream(recvCounts).sum();
            world.alltoall(
                    buf(sent).blocks(sendCounts), buf(received, 0, arrived).blocks(recvCounts));
            update(table, first, words, received, arrived);
        }
    }

    /// Returns the index, in the sequence of random numbers, at which the batch of an iteration begins.
    private long batch(int iteration) {
        return ((long) iteration * ranks + me) * BATCH;
    }

    private static void draw(long from, long[] drawn, int[] counts) {
        Arrays.fill(counts, 0);
        for (int i = 0; i < BATCH; i++) {
            drawn[i] = Hash64.at(from + i);
            counts[scaled(drawn[i], counts.length)]++;
        }
    }

    private static void sort(long[] drawn, int[] counts, int[] next, long[] sent) {
        next[0] = 0;
        for (int r = 1; r < counts.length; r++) next[r] = next[r - 1] + counts[r - 1];
        for (int i = 0; i < BATCH; i++) sent[next[scaled(drawn[i], counts.length)]++] = drawn[i];
    }

    private static void update(long[] table, int first, int words, long[] received, int count) {
        for (int i = 0; i < count; i++) table[scaled(received[i], words) - first] += received[i];
    }

    /// Maps the upper half of a random number to a number below `bound`: the position, or the rank that stores
    /// the position.
    private static int scaled(long word, int bound) {
        return (int) ((word >>> 32) * bound >>> 32);
    }

    @Override
    public long checksum() {
        long sum = 0;
        for (int i = 0; i < table.length; i++) sum += weight(first + i) * table[i];
        return sum;
    }

    @Override
    public long expected(int iterations) {
        long sum = 0;
        for (int k = 0; k < iterations; k++) {
            for (int i = 0; i < BATCH; i++) {
                long word = Hash64.at(batch(k) + i);
                sum += weight(scaled(word, words)) * word;
            }
        }
        return sum;
    }

    private static long weight(int place) {
        return 2L * place + 1;
    }
}
