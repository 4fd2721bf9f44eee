package org.tutti.inspect.calls;

import org.tutti.spi.Collective;

/// The number of bytes that a rank passes to a collective call, or that it receives from the call: in general
/// the larger number, in an alltoall and between neighbors the number of bytes received. This measure does not
/// depend on the algorithm; algorithms transfer different amounts of data.
final class Lengths {
    private Lengths() {}

    static long of(Collective c) {
        return switch (c.kind) {
            case BARRIER -> 0;
            case BCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> c.send.count * c.send.type.size();
            case GATHER -> isRoot(c) ? c.recv.bytes(others(c)) : c.send.count * c.send.type.size();
            case SCATTER -> isRoot(c) ? c.send.bytes(others(c)) : c.recv.count * c.recv.type.size();
            case ALLGATHER, ALLTOALL, ALLTOALLW -> c.recv.bytes(others(c));
            case NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW ->
                c.recv.bytes(c.neighborhood().sources().length);
        };
    }

    private static boolean isRoot(Collective c) {
        return c.root == c.port().rank();
    }

    private static int others(Collective c) {
        return c.inter ? c.port().peerSize() : c.port().size();
    }
}
