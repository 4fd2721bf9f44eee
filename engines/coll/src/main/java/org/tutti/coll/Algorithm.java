package org.tutti.coll;

import org.tutti.spi.Collective;

/// One way to do one kind of collective call. Without state: two calls may plan at the same time.
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

    /// Scratch vectors are at most this long; longer calls are cut into slices.
    long SCRATCH_VECTOR_BYTES = 256 << 10;

    /// Appends what this rank does with the elements `first` to `first + count` of `call`. An algorithm that
    /// is never sliced does the whole call.
    void plan(Collective call, long first, long count, Schedule out);

    /// How many elements one plan may cover: a bound for its scratch memory. Equal on all ranks.
    default long sliceElements(Collective call) {
        return Long.MAX_VALUE;
    }

    /// Where part `part` begins when `count` elements are split into `parts` almost equal parts, the longer
    /// ones first.
    static long partStart(long count, int parts, int part) {
        return count / parts * part + Math.min(count % parts, part);
    }
}
