package org.tutti.coll;

import org.tutti.mpi.spi.Collective;

/// Which algorithm does which call. All ranks must choose the same one, so only values that the standard makes equal on
/// all ranks are looked at: kind, size of the communicator, operation, and the total length where every rank knows it.
///
/// | kind | short | long |
/// |---|---|---|
/// | barrier | [BarrierDissemination] | |
/// | bcast | [BcastBinomial] | [BcastScatterAllgather], three ranks or more |
/// | reduce | [ReduceBinomial] | [ReduceScatterGather], three ranks or more, commutative |
/// | allreduce | [AllreduceRecursiveDoubling] | [AllreduceRing], commutative |
/// | gather | [GatherLinear] | |
/// | allgather | [AllgatherBruck], four ranks or more | [AllgatherRing] |
final class AlgorithmTable {
    /// A bcast below this is bound by the number of rounds, not by bytes.
    static final long LONG_BCAST_BYTES = 128 << 10;

    /// A reduction whose parts (a p-th of the vector) are shorter than this is bound by the number of rounds.
    static final long LONG_REDUCTION_PART_BYTES = 8 << 10;

    /// An allgather longer than this in total would pay more for Bruck's copies than it saves in rounds.
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

    private AlgorithmTable() {}

    static Algorithm choose(Collective call) {
        int size = call.port().size();
        return switch (call.kind) {
            case BARRIER -> BARRIER;
            case BCAST -> size > 2 && total(call) >= LONG_BCAST_BYTES ? BCAST_LONG : BCAST_SHORT;
            case REDUCE -> size > 2 && isLongReduction(call, size) ? REDUCE_LONG : REDUCE_SHORT;
            case ALLREDUCE -> isLongReduction(call, size) ? ALLREDUCE_LONG : ALLREDUCE_SHORT;
            case GATHER -> GATHER;
            case ALLGATHER ->
                size > 3 && allBlocks(call, size) < LONG_ALLGATHER_BYTES ? ALLGATHER_SHORT : ALLGATHER_LONG;
        };
    }

    private static boolean isLongReduction(Collective call, int size) {
        return total(call) >= LONG_REDUCTION_PART_BYTES * size
                && call.reduction().isCommutative();
    }

    private static long total(Collective call) {
        return call.count * call.type.bytes();
    }

    private static long allBlocks(Collective call, int size) {
        if (call.blocks == null) return call.recvCount * call.recvType.bytes() * size;
        long sum = 0;
        for (int i = 0; i < size; i++) sum += call.blockBytes(i);
        return sum;
    }
}
