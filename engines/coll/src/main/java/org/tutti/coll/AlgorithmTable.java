package org.tutti.coll;

import org.tutti.spi.Collective;

/// The choice of the algorithm for a call. All ranks must choose the same algorithm, so the choice depends only
/// on values that the standard requires to be equal on all ranks: kind, size of the communicator, operation,
/// and the total length if known to every rank.
///
/// | kind | short | long |
/// |---|---|---|
/// | barrier | [BarrierDissemination] | |
/// | bcast | [BcastBinomial] | [BcastScatterAllgather], three ranks or more |
/// | reduce | [ReduceBinomial] | [ReduceScatterGather], three ranks or more, commutative |
/// | allreduce | [AllreduceRecursiveDoubling] | [AllreduceRing], commutative |
/// | gather, scatter | [GatherLinear], [ScatterLinear] | |
/// | allgather | [AllgatherBruck], four ranks or more | [AllgatherRing] |
/// | alltoall | [AlltoallPairwise], in place [AlltoallInPlace] | |
/// | reduce-scatter | [ReduceScatterPairwise] | |
/// | scan, exscan | [ScanRecursiveDoubling] | |
/// | reduce, allreduce, scan, exscan, bitwise equal to a loop over the ranks | [ReduceInRankOrder], [ScanChain] | |
/// | alltoallw | [AlltoallPairwise], in place [AlltoallInPlace] | |
/// | neighbor allgather | [NeighborAllgatherDirect] | |
/// | neighbor alltoall, alltoallw | [NeighborAlltoallDirect] | |
///
/// An alltoall is in place on all ranks or on none (MPI 4.1, section 6.8).
///
/// Between two groups, each kind has one algorithm: [BcastInter], [ReduceInter], [AllreduceInter],
/// [GatherInter], [ScatterInter], [ReduceScatterInter], [AlltoallInter] (also for allgather). A barrier between
/// two groups is a barrier of all ranks of the two groups, although the standard requires only that a rank
/// waits for the ranks of the other group (MPI 4.1, section 6.3).
final class AlgorithmTable {
    // These lengths were measured over the shm engine with 2, 4 and 8 ranks on two busy cores, where the ranks
    // wait for a core in each round. With a core per rank, these lengths would be shorter, by a factor of less
    // than two.

    /// Minimum length for which [BcastScatterAllgather] is faster: it sends fewer bytes, but needs about p
    /// rounds.
    static final long LONG_BCAST_BYTES = 2 << 20;

    /// Minimum length of a part (a p-th of the vector) for which [ReduceScatterGather] is faster.
    static final long LONG_REDUCE_PART_BYTES = 256 << 10;

    /// Like [#LONG_REDUCE_PART_BYTES], for [AllreduceRing]; [AllreduceRecursiveDoubling] sends the complete
    /// vector log p times.
    static final long LONG_ALLREDUCE_PART_BYTES = 32 << 10;

    /// Minimum total length for which the copies in [AllgatherBruck] cost more time than the smaller number of
    /// rounds saves.
    static final long LONG_ALLGATHER_BYTES = 64 << 10;

    private static final Algorithm BARRIER = new BarrierDissemination();
    private static final Algorithm BCAST_SHORT = new BcastBinomial();
    private static final Algorithm BCAST_LONG = new BcastScatterAllgather();
    private static final Algorithm REDUCE_SHORT = new ReduceBinomial();
    private static final Algorithm REDUCE_LONG = new ReduceScatterGather();
    private static final Algorithm ALLREDUCE_SHORT = new AllreduceRecursiveDoubling();
    private static final Algorithm ALLREDUCE_LONG = new AllreduceRing();
    private static final Algorithm GATHER = new GatherLinear();
    private static final Algorithm ALLGATHER_SHORT = new AllgatherBruck();
    private static final Algorithm ALLGATHER_LONG = new AllgatherRing();
    private static final Algorithm SCATTER = new ScatterLinear();
    private static final Algorithm ALLTOALL = new AlltoallPairwise();
    private static final Algorithm ALLTOALL_IN_PLACE = new AlltoallInPlace();
    private static final Algorithm REDUCE_SCATTER = new ReduceScatterPairwise();
    private static final Algorithm SCAN = new ScanRecursiveDoubling();
    private static final Algorithm REDUCE_IN_ORDER = new ReduceInRankOrder();
    private static final Algorithm SCAN_IN_ORDER = new ScanChain();
    private static final Algorithm NEIGHBOR_ALLGATHER = new NeighborAllgatherDirect();
    private static final Algorithm NEIGHBOR_ALLTOALL = new NeighborAlltoallDirect();

    private static final Algorithm BCAST_INTER = new BcastInter();
    private static final Algorithm REDUCE_INTER = new ReduceInter();
    private static final Algorithm ALLREDUCE_INTER = new AllreduceInter();
    private static final Algorithm GATHER_INTER = new GatherInter();
    private static final Algorithm SCATTER_INTER = new ScatterInter();
    private static final Algorithm ALLTOALL_INTER = new AlltoallInter();
    private static final Algorithm REDUCE_SCATTER_INTER = new ReduceScatterInter();

    private AlgorithmTable() {}

    private static Algorithm chooseInter(Collective call) {
        return switch (call.kind) {
            case BARRIER -> BARRIER;
            case BCAST -> BCAST_INTER;
            case REDUCE -> REDUCE_INTER;
            case ALLREDUCE -> ALLREDUCE_INTER;
            case GATHER -> GATHER_INTER;
            case SCATTER -> SCATTER_INTER;
            case ALLGATHER, ALLTOALL, ALLTOALLW -> ALLTOALL_INTER;
            case REDUCE_SCATTER -> REDUCE_SCATTER_INTER;
            case SCAN, EXSCAN, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW ->
                throw new IllegalStateException(call.operation + " between two groups");
        };
    }

    static Algorithm choose(Collective call) {
        if (call.inter) return chooseInter(call);
        int size = call.port().size();
        if (call.op != null && call.op.isInRankOrder()) return chooseInOrder(call);
        return switch (call.kind) {
            case BARRIER -> BARRIER;
            case BCAST -> size > 2 && total(call) >= LONG_BCAST_BYTES ? BCAST_LONG : BCAST_SHORT;
            case REDUCE -> size > 2 && inParts(call, size, LONG_REDUCE_PART_BYTES) ? REDUCE_LONG : REDUCE_SHORT;
            case ALLREDUCE -> inParts(call, size, LONG_ALLREDUCE_PART_BYTES) ? ALLREDUCE_LONG : ALLREDUCE_SHORT;
            case GATHER -> GATHER;
            case SCATTER -> SCATTER;
            case ALLTOALL, ALLTOALLW -> call.inPlace ? ALLTOALL_IN_PLACE : ALLTOALL;
            case REDUCE_SCATTER -> REDUCE_SCATTER;
            case SCAN, EXSCAN -> SCAN;
            case NEIGHBOR_ALLGATHER -> NEIGHBOR_ALLGATHER;
            case NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW -> NEIGHBOR_ALLTOALL;
            case ALLGATHER ->
                size > 3 && allBlocks(call, size) < LONG_ALLGATHER_BYTES ? ALLGATHER_SHORT : ALLGATHER_LONG;
        };
    }

    private static Algorithm chooseInOrder(Collective call) {
        return switch (call.kind) {
            case REDUCE, ALLREDUCE -> REDUCE_IN_ORDER;
            case REDUCE_SCATTER -> REDUCE_SCATTER; // always in rank order
            case SCAN, EXSCAN -> SCAN_IN_ORDER;
            default -> throw new IllegalStateException(call.operation + " has no operation");
        };
    }

    private static boolean inParts(Collective call, int size, long partBytes) {
        return total(call) >= partBytes * size && call.reduction().isCommutative();
    }

    private static long total(Collective call) {
        return call.send.count * call.send.type.size();
    }

    private static long allBlocks(Collective call, int size) {
        if (call.recv.blocks == null) return call.recv.count * call.recv.type.size() * size;
        long sum = 0;
        for (int i = 0; i < size; i++) sum += call.recv.blockBytes(i);
        return sum;
    }
}
