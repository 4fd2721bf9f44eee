package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer.Lane;

/// A communicator of this engine: processes and contexts. The two lowest bits of the communicator's id are
/// zero. The id plus the number of a lane is the context of this lane:
///
///     | 0 | user messages                   | even: the program must receive all messages |
///     | 1 | messages of collective calls    | odd: internal                               |
///     | 2 | partitioned messages            | even                                        |
///     | 3 | creation of communicators       | odd: internal                               |
final class ShmPort extends CommPort {
    static final int LANE_BITS = 2;

    static final int COLLECTIVE = 1, PARTITIONED = 2, MAKING = 3;

    private final Place place;
    private final int[] processes;
    private final boolean ofSeveralWorlds;
    final long context;

    private @Nullable CollectiveSlots slots;

    /// The number of dead ranks already reported. Accessed under the lock.
    private int reportedDeaths;

    /// @param place the position of this process
    /// @param rank the rank of this process in the port
    /// @param processes the process numbers of all ranks, see [Segment]
    ShmPort(Place place, int rank, int[] processes, long context, String name) {
        super(rank, processes.length, name);
        this.place = place;
        this.processes = processes;
        this.context = context;
        boolean some = false;
        for (int p : processes) some |= place.worldRank(p) < 0;
        ofSeveralWorlds = some;
    }

    @Override
    public int worldRank(int rank) {
        return place.worldRank(processes[rank]);
    }

    @Override
    public int process(int rank) {
        return processes[rank];
    }

    /// Returns the number of processes, including the remote group of an intercommunicator.
    int processes() {
        return processes.length;
    }

    @Override
    public boolean isOfSeveralWorlds() {
        return ofSeveralWorlds;
    }

    /// Sets the number of dead ranks that have been reported. Returns whether the number has increased.
    boolean reportDeaths(int count) {
        boolean more = count > reportedDeaths;
        reportedDeaths = count;
        return more;
    }

    long context(Lane lane) {
        return switch (lane) {
            case USER -> context;
            case COLLECTIVE -> context + COLLECTIVE;
            case PARTITIONED -> context + PARTITIONED;
            case MAKING -> context + MAKING;
            case CHECKING ->
                throw new IllegalStateException("what is checked travels with the messages of this engine");
        };
    }

    /// Returns the slots for short collective calls; null if the communicator has none.
    @Nullable
    CollectiveSlots slots() {
        return slots;
    }

    void slots(CollectiveSlots of) {
        slots = of;
    }
}
