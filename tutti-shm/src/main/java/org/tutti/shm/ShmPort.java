package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer.Lane;

/// A communicator of this engine: who its ranks are in the world, and its contexts. Its id has zeros in
/// its two lowest bits; with other bits there it is the context of one of its lanes:
///
///     | 0 | the user's messages        | even: a user may have forgotten to receive one |
///     | 1 | those of collective calls  | odd: never a user's                            |
///     | 2 | messages in parts          | even                                           |
///     | 3 | of making communicators    | odd: never a user's                            |
final class ShmPort extends CommPort {
    static final int LANE_BITS = 2;

    private static final int COLLECTIVE = 1, PARTITIONED = 2, MAKING = 3;

    private final int[] worldRanks;
    private final long context;

    private @Nullable CollectiveSlots slots;

    ShmPort(int rank, int[] worldRanks, long context, String name) {
        super(rank, worldRanks.length, name);
        this.worldRanks = worldRanks;
        this.context = context;
    }

    @Override
    public int worldRank(int rank) {
        return worldRanks[rank];
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
