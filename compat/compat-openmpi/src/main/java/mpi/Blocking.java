package mpi;

/// The blocking calls, with the signatures of the nonblocking calls: they return null instead of a request.
final class Blocking {
    static final CollectiveCalls.Rooted GATHER = (c, s, r, root) -> {
        c.gather(s, r, root);
        return null;
    };
    static final CollectiveCalls.Rooted SCATTER = (c, s, r, root) -> {
        c.scatter(s, r, root);
        return null;
    };
    static final CollectiveCalls.Two ALLGATHER = (c, s, r) -> {
        c.allgather(s, r);
        return null;
    };
    static final CollectiveCalls.Two ALLTOALL = (c, s, r) -> {
        c.alltoall(s, r);
        return null;
    };
    static final CollectiveCalls.Many ALLTOALLW = (c, s, r) -> {
        c.alltoallw(s, r);
        return null;
    };
    static final CollectiveCalls.CombinedAtRoot REDUCE = (c, s, r, op, root) -> {
        c.reduce(s, r, op, root);
        return null;
    };
    static final CollectiveCalls.Combined ALLREDUCE = (c, s, r, op) -> {
        c.allreduce(s, r, op);
        return null;
    };
    static final CollectiveCalls.Combined REDUCE_SCATTER = (c, s, r, op) -> {
        c.reduceScatter(s, r, op);
        return null;
    };
    static final CollectiveCalls.Combined REDUCE_SCATTER_BLOCK = (c, s, r, op) -> {
        c.reduceScatterBlock(s, r, op);
        return null;
    };
    static final CollectiveCalls.Combined SCAN = (c, s, r, op) -> {
        ((org.tutti.mpi.Comm) c).scan(s, r, op);
        return null;
    };
    static final CollectiveCalls.Combined EXSCAN = (c, s, r, op) -> {
        ((org.tutti.mpi.Comm) c).exscan(s, r, op);
        return null;
    };
    static final CollectiveCalls.NeighborCall NEIGHBOR_ALLGATHER = (c, s, r) -> {
        c.neighborAllgather(s, r);
        return null;
    };
    static final CollectiveCalls.NeighborCall NEIGHBOR_ALLTOALL = (c, s, r) -> {
        c.neighborAlltoall(s, r);
        return null;
    };

    private Blocking() {}
}
