package org.tutti.bench.plan;

/// The collective operations that are measured.
public enum TestKind {
    BARRIER,
    BCAST,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER;

    /// Whether it adds numbers, so that a message is whole elements, at least one.
    public boolean reduces() {
        return compareTo(REDUCE) >= 0;
    }
}
