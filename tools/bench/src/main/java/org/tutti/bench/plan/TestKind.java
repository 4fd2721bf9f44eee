package org.tutti.bench.plan;

/// The measured collective operations. [#COMMUNICATOR] is a dup, a barrier on the new communicator, and a
/// close.
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

    /// Whether the operation adds numbers, so that a message consists of at least one whole element.
    public boolean reduces() {
        return compareTo(REDUCE) >= 0;
    }
}
