package org.tutti.bench.plan;

/// What tests have in common: who takes part, what they print, which options they know.
public enum Family {
    /// `mpi4py.bench helloworld`.
    HELLO,
    /// `mpi4py.bench ringtest`.
    RING,
    /// `mpi4py.bench pingpong`.
    PINGPONG,
    /// `mpi4py.bench futures`.
    FUTURES,
    /// All ranks, an application kernel: a number of iterations, once.
    KERNEL,
    /// Ranks 0 and 1; the others wait.
    PAIR,
    /// The first half of the ranks with the second.
    PAIRS,
    /// Rank 0 accesses rank 1's memory; the others wait.
    ONE_SIDED,
    /// All ranks, on one file.
    FILE,
    /// All ranks, a collective operation that is waited for.
    COLLECTIVE,
    /// The same, started and overlapped with computation.
    NONBLOCKING;

    /// Whether it is one of OSU's, or has their options and columns.
    public boolean isOsu() {
        return compareTo(PAIR) >= 0;
    }

    /// Whether all ranks do the same thing in it.
    public boolean isCollective() {
        return compareTo(COLLECTIVE) >= 0;
    }
}
