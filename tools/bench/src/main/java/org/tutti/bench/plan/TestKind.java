package org.tutti.bench.plan;

/// The collective operations that are measured. A communicator is made by dup, has a barrier, and is closed.
public enum TestKind {
    BARRIER,
    COMMUNICATOR,
    BCAST,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    REDUCE_IN_PLACE,
    ALLREDUCE,
    REDUCE_SCATTER;

    /// Whether it adds numbers, so that a message is whole elements, at least one.
    public boolean reduces() {
        return compareTo(REDUCE) >= 0;
    }
}
