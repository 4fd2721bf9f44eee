package org.tutti.inspect.calls;

import org.tutti.spi.Collective;

/// What a rank passes to a collective call or gets from it, whichever is more: the same measure for all
/// algorithms, which move other amounts.
final class Lengths {
    private Lengths() {}

    static long of(Collective c) {
        return switch (c.kind) {
            case BARRIER -> 0;
            case BCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> c.count * c.type.size();
            case GATHER -> isRoot(c) ? received(c, others(c)) : c.count * c.type.size();
            case SCATTER -> isRoot(c) ? sent(c, others(c)) : c.recvCount * c.recvType.size();
            case ALLGATHER, ALLTOALL, ALLTOALLW -> received(c, others(c));
            case NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW ->
                received(c, c.neighborhood().sources().length);
        };
    }

    private static boolean isRoot(Collective c) {
        return c.root == c.port().rank();
    }

    private static int others(Collective c) {
        return c.inter ? c.port().peerSize() : c.port().size();
    }

    private static long received(Collective c, int blocks) {
        if (c.blocks == null && c.recvParts == null) return blocks == 0 ? 0 : blocks * c.blockBytes(0);
        long sum = 0;
        for (int r = 0; r < blocks; r++) sum += c.blockBytes(r);
        return sum;
    }

    private static long sent(Collective c, int blocks) {
        if (c.sendBlocks == null && c.sendParts == null) return blocks * c.sendBlockBytes(0);
        long sum = 0;
        for (int r = 0; r < blocks; r++) sum += c.sendBlockBytes(r);
        return sum;
    }
}
