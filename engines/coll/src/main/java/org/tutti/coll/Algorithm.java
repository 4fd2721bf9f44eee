package org.tutti.coll;

import org.tutti.spi.Collective;

/// An algorithm for one kind of collective call. Stateless: two calls may be planned at the same time.
sealed interface Algorithm
        permits BarrierDissemination,
                BcastBinomial,
                BcastScatterAllgather,
                ReduceBinomial,
                ReduceScatterGather,
                AllreduceRecursiveDoubling,
                AllreduceRing,
                GatherLinear,
                AllgatherRing,
                AllgatherBruck,
                ScatterLinear,
                AlltoallPairwise,
                AlltoallInPlace,
                ReduceScatterPairwise,
                ScanRecursiveDoubling,
                ScanChain,
                ReduceInRankOrder,
                NeighborAllgatherDirect,
                NeighborAlltoallDirect,
                BcastInter,
                ReduceInter,
                AllreduceInter,
                GatherInter,
                ScatterInter,
                AlltoallInter,
                ReduceScatterInter {

    /// Maximum size of a scratch vector; longer calls are divided into slices.
    long SCRATCH_VECTOR_BYTES = 256 << 10;

    /// Appends this rank's instructions for the elements `first` to `first + count` of `call`. An algorithm
    /// that does not divide calls into slices plans the complete call at once.
    void plan(Collective call, long first, long count, Schedule out);

    /// Returns the maximum number of elements in one plan. This bounds the scratch memory. The result is equal
    /// on all ranks.
    default long sliceElements(Collective call) {
        return Long.MAX_VALUE;
    }

    /// Returns the start of part `part` when `count` elements are divided into `parts` almost equal parts, the
    /// longer parts first.
    static long partStart(long count, int parts, int part) {
        return count / parts * part + Math.min(count % parts, part);
    }
}
