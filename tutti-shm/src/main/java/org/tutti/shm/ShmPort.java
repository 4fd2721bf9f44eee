package org.tutti.shm;

import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Transfer.Lane;

/// A communicator of this engine: who its ranks are in the world, and its two contexts.
final class ShmPort extends CommPort {
    private final int[] worldRanks;
    private final long context;

    /// Collective calls so far; under the progress lock.
    private long calls;

    /// `context` is even; the collective lane has the odd one beside it.
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
        return lane == Lane.USER ? context : context + 1;
    }

    long nextCall() {
        return ++calls;
    }
}
