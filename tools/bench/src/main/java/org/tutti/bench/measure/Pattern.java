package org.tutti.bench.measure;

import java.util.function.LongUnaryOperator;

/// Values for verification: small, so that every type can represent the sum of thousands of values, and
/// different for neighboring positions and ranks.
public final class Pattern {
    /// A value that no rank sends; shows that no data has arrived.
    public static final LongUnaryOperator NOTHING = i -> -1;

    private static final int MASK = 15, STEP = 7, STEP_OF_RANK = 3, STEP_OF_DESTINATION = 5;

    private Pattern() {}

    /// Returns the values that `rank` sends.
    public static LongUnaryOperator of(int rank) {
        return i -> (STEP * i + (i >> 8) + (long) STEP_OF_RANK * rank) & MASK;
    }

    /// Returns the bytes that `rank` sends.
    public static byte[] bytes(int rank, int length) {
        byte[] bytes = new byte[length];
        LongUnaryOperator values = of(rank);
        for (int i = 0; i < length; i++) bytes[i] = (byte) values.applyAsLong(i);
        return bytes;
    }

    /// Returns the values that `rank` sends to `destination`.
    public static LongUnaryOperator of(int rank, int destination) {
        return i ->
                (STEP * i + (i >> 8) + (long) STEP_OF_RANK * rank + (long) STEP_OF_DESTINATION * destination) & MASK;
    }

    /// Returns the sums over `ranks` ranks.
    public static LongUnaryOperator sum(int ranks) {
        return i -> {
            long sum = 0;
            for (int r = 0; r < ranks; r++) sum += (STEP * i + (i >> 8) + (long) STEP_OF_RANK * r) & MASK;
            return sum;
        };
    }

    /// Returns values in blocks of `count` elements; block b contains the values of rank b.
    public static LongUnaryOperator blocks(long count) {
        return i -> of((int) (i / count)).applyAsLong(i % count);
    }
}
