package org.tutti.bench.plan;

/// Groups of tests with the same participating ranks, output and options.
public enum Family {
    /// `mpi4py.bench helloworld`.
    HELLO,
    /// `mpi4py.bench ringtest`.
    RING,
    /// `mpi4py.bench pingpong`.
    PINGPONG,
    /// `mpi4py.bench futures`.
    FUTURES,
    /// All ranks run an application kernel once, with a given number of iterations.
    KERNEL,
    /// Ranks 0 and 1; all other ranks wait.
    PAIR,
    /// Pairs of a rank of the first half and a rank of the second.
    PAIRS,
    /// Rank 0 accesses rank 1's memory; all other ranks wait.
    ONE_SIDED,
    /// All ranks access one file.
    FILE,
    /// All ranks run a blocking collective operation.
    COLLECTIVE,
    /// All ranks run a nonblocking collective operation and overlap it with computation.
    NONBLOCKING;

    /// Whether the tests are OSU's, or have OSU's options and columns.
    public boolean isOsu() {
        return compareTo(PAIR) >= 0;
    }

    /// Whether the tests measure a collective operation; false for the tests of files.
    public boolean isCollective() {
        return compareTo(COLLECTIVE) >= 0;
    }
}
