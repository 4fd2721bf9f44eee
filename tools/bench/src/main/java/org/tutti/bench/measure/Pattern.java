package org.tutti.bench.measure;

import java.util.function.LongUnaryOperator;

/// Numbers to look for in what arrived: small, so that every type holds the sum of thousands of them, and
/// different for neighbours in place and in rank.
public final class Pattern {
    /// What nobody sends, to be seen where nothing arrived.
    public static final LongUnaryOperator NOTHING = i -> -1;

    private static final int MASK = 15, STEP = 7, STEP_OF_RANK = 3, STEP_OF_DESTINATION = 5;

    private Pattern() {}

    /// Element `i` of what `rank` sends.
    public static LongUnaryOperator of(int rank) {
        return i -> (STEP * i + (i >> 8) + (long) STEP_OF_RANK * rank) & MASK;
    }

    /// Element `i` of what `rank` sends to `destination`.
    public static LongUnaryOperator of(int rank, int destination) {
        return i ->
                (STEP * i + (i >> 8) + (long) STEP_OF_RANK * rank + (long) STEP_OF_DESTINATION * destination) & MASK;
    }

    /// Element `i` of the sum over `ranks` ranks.
    public static LongUnaryOperator sum(int ranks) {
        return i -> {
            long sum = 0;
            for (int r = 0; r < ranks; r++) sum += (STEP * i + (i >> 8) + (long) STEP_OF_RANK * r) & MASK;
            return sum;
        };
    }

    /// In blocks of `count` elements, block b being what rank b sends.
    public static LongUnaryOperator blocks(long count) {
        return i -> of((int) (i / count)).applyAsLong(i % count);
    }
}
