package org.tutti.bench.kernels;

/// The result of a kernel, equal on all ranks.
///
/// @param seconds the time of all iterations on the slowest rank
/// @param checksum equal to C's checksum for the same iterations on the same number of ranks
public record KernelResult(double seconds, long checksum) {}
