package org.tutti.conformance.trial;

import org.tutti.mpi.Op;

/// Maps `x ↦ a·x + b` modulo 2³², packed as `a << 32 | b`: an associative, non-commutative operation.
public final class AffineMaps {
    public static final Op COMPOSE = Op.ofLong("compose", AffineMaps::compose);

    private AffineMaps() {}

    /// Returns the map that applies first `f`, then `g`.
    public static long compose(long f, long g) {
        int a = (int) (f >>> 32) * (int) (g >>> 32);
        int b = (int) (g >>> 32) * (int) f + (int) g;
        return pack(a, b);
    }

    /// Returns element `i` of rank `rank`.
    public static long of(int rank, long i) {
        return pack(2 * rank + 3, 7 * rank + (int) i + 1);
    }

    private static long pack(int a, int b) {
        return (long) a << 32 | b & 0xffffffffL;
    }

    public static long[] of(int rank, int count) {
        long[] maps = new long[count];
        for (int i = 0; i < count; i++) maps[i] = of(rank, (long) i);
        return maps;
    }

    /// Checks that `composed` contains the maps of ranks 0 to `size - 1`, applied in this order.
    public static void expectAll(int size, long[] composed, String label) {
        expectAll(size, 0, composed, label);
    }

    /// Performs the same check for elements from `first` on.
    public static void expectAll(int size, int first, long[] composed, String label) {
        for (int i = 0; i < composed.length; i++) {
            for (int x = 0; x < 3; x++) {
                int y = x;
                for (int r = 0; r < size; r++) y = (2 * r + 3) * y + 7 * r + first + i + 1;
                Check.same(y, (int) (composed[i] >>> 32) * x + (int) composed[i], label + ", map " + i + " of " + x);
            }
        }
    }
}
