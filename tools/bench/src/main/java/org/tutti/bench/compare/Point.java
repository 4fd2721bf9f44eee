package org.tutti.bench.compare;

/// One comparison: a test with a number of ranks and a message size. The size is 0 for a test without message
/// sizes.
record Point(CompareTest test, int ranks, long bytes) {
    @Override
    public String toString() {
        return test.word() + (bytes > 0 ? " " + words(bytes) : "") + ", " + ranks + " ranks";
    }

    private static String words(long bytes) {
        if (bytes % (1 << 20) == 0) return (bytes >> 20) + " MiB";
        return bytes % (1 << 10) == 0 ? (bytes >> 10) + " KiB" : bytes + " B";
    }
}
