package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer.Lane;

/// A communicator of this engine: which processes its ranks are, and its contexts. Its id has zeros in
/// its two lowest bits; with other bits there it is the context of one of its lanes:
///
///     | 0 | the user's messages        | even: a user may have forgotten to receive one |
///     | 1 | those of collective calls  | odd: never a user's                            |
///     | 2 | messages in parts          | even                                           |
///     | 3 | of making communicators    | odd: never a user's                            |
final class ShmPort extends CommPort {
    static final int LANE_BITS = 2;

    static final int COLLECTIVE = 1, PARTITIONED = 2, MAKING = 3;

    private final Place place;
    private final int[] processes;
    private final boolean ofSeveralWorlds;
    final long context;

    private @Nullable CollectiveSlots slots;

    /// How many of its ranks it was said of that they have died; under the lock.
    private int lossesTold;

    /// @param place of this process
    /// @param rank of this process in the port
    /// @param processes the numbers of its ranks, see [Segment]
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

    /// How many there are, of both groups where there are two.
    int processes() {
        return processes.length;
    }

    @Override
    public boolean isOfSeveralWorlds() {
        return ofSeveralWorlds;
    }

    /// So many of its ranks have died: whether that is more than before.
    boolean tellLosses(int count) {
        boolean more = count > lossesTold;
        lossesTold = count;
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

    /// Where short collective calls are posted; null when there is no such place.
    @Nullable
    CollectiveSlots slots() {
        return slots;
    }

    void slots(CollectiveSlots of) {
        slots = of;
    }
}
