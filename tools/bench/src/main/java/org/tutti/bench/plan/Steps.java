package org.tutti.bench.plan;

/// How mpi4py's pingpong measures large messages less often: beyond `largeBytes` at most `loopLarge`
/// times, beyond `hugeBytes` at most `loopHuge`.
public record Steps(long largeBytes, int skipLarge, int loopLarge, long hugeBytes, int skipHuge, int loopHuge) {
    /// mpi4py's.
    public static final Steps USUAL = new Steps(1 << 14, 10, 1000, 1 << 20, 1, 10);

    /// Iterations to measure of `loop`.
    public int loop(long bytes, int loop) {
        int most = bytes > largeBytes ? Math.min(loop, loopLarge) : loop;
        return bytes > hugeBytes ? Math.min(most, loopHuge) : most;
    }

    /// Iterations to warm up of `skip`.
    public int skip(long bytes, int skip) {
        int most = bytes > largeBytes ? Math.min(skip, skipLarge) : skip;
        return bytes > hugeBytes ? Math.min(most, skipHuge) : most;
    }
}
