package org.tutti.bench.osu;

import org.tutti.bench.plan.Kind;

/// What OSU calls a collective operation.
final class CollectiveTitle {
    private CollectiveTitle() {}

    static String of(Kind kind) {
        return "MPI " + name(kind) + " Latency";
    }

    static String ofNonblocking(Kind kind) {
        return "MPI Non-blocking " + name(kind) + " Latency";
    }

    private static String name(Kind kind) {
        return switch (kind) {
            case BARRIER -> "Barrier";
            case BCAST -> "Broadcast";
            case GATHER -> "Gather";
            case SCATTER -> "Scatter";
            case ALLGATHER -> "Allgather";
            case ALLTOALL -> "All-to-All Personalized Exchange";
            case REDUCE -> "Reduce";
            case ALLREDUCE -> "Allreduce";
            case REDUCE_SCATTER -> "Reduce_scatter";
        };
    }
}
