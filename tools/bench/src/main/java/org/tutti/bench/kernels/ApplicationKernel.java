package org.tutti.bench.kernels;

/// A kernel with this rank's data. It runs once.
interface ApplicationKernel extends AutoCloseable {
    /// Runs all iterations. Collective.
    void run(int iterations);

    /// Returns the checksum of the data of this rank after [#run]. The sum over all ranks, modulo 2^64, is
    /// the checksum of the kernel.
    long checksum();

    /// Returns this rank's part of the correct checksum of the kernel. The part may differ from [#checksum] of
    /// the same rank: only the sums over all ranks must be equal.
    long expected(int iterations);

    @Override
    default void close() {}
}
