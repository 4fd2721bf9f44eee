package org.tutti.bench.plan;

/// The limits on the number of iterations for large messages in mpi4py's pingpong: at most `loopLarge`
/// iterations above `largeBytes`, at most `loopHuge` above `hugeBytes`.
public record Steps(long largeBytes, int skipLarge, int loopLarge, long hugeBytes, int skipHuge, int loopHuge) {
    /// mpi4py's defaults.
    public static final Steps DEFAULT = new Steps(1 << 14, 10, 1000, 1 << 20, 1, 10);

    /// Returns the number of measured iterations, at most `loop`.
    public int loop(long bytes, int loop) {
        int most = bytes > largeBytes ? Math.min(loop, loopLarge) : loop;
        return bytes > hugeBytes ? Math.min(most, loopHuge) : most;
    }

    /// Returns the number of warm-up iterations, at most `skip`.
    public int skip(long bytes, int skip) {
        int most = bytes > largeBytes ? Math.min(skip, skipLarge) : skip;
        return bytes > hugeBytes ? Math.min(most, skipHuge) : most;
    }
}
