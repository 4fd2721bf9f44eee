package org.tutti.bench.osu;

import org.tutti.bench.plan.TestKind;

/// OSU's title of a collective operation.
final class CollectiveTitle {
    private CollectiveTitle() {}

    static String of(TestKind kind) {
        return "MPI " + name(kind) + " Latency";
    }

    static String ofNonblocking(TestKind kind) {
        return "MPI Non-blocking " + name(kind) + " Latency";
    }

    private static String name(TestKind kind) {
        return switch (kind) {
            case BARRIER -> "Barrier";
            case COMMUNICATOR -> "Communicator";
            case BCAST -> "Broadcast";
            case GATHER -> "Gather";
            case SCATTER -> "Scatter";
            case ALLGATHER -> "Allgather";
            case ALLTOALL -> "All-to-All Personalized Exchange";
            case REDUCE -> "Reduce";
            case REDUCE_IN_PLACE -> "Reduce In Place";
            case ALLREDUCE -> "Allreduce";
            case REDUCE_SCATTER -> "Reduce_scatter";
        };
    }
}
