package org.tutti.bench.kernels;

/// Pseudorandom numbers that are identical in Java and C: the n-th number of the sequence SplitMix64.
final class Hash64 {
    private static final long STEP = 0x9E3779B97F4A7C15L, FIRST = 0xBF58476D1CE4E5B9L, SECOND = 0x94D049BB133111EBL;

    private Hash64() {}

    static long at(long n) {
        long z = (n + 1) * STEP;
        z = (z ^ z >>> 30) * FIRST;
        z = (z ^ z >>> 27) * SECOND;
        return z ^ z >>> 31;
    }
}
