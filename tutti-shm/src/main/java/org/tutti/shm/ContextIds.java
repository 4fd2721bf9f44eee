package org.tutti.shm;

/// Draws the ids of this rank's communicators. Whoever is first in a group draws for it, and no other
/// rank ever draws the same: 64 bits are enough to never use one again.
///
///     63             34 33               2 1    0
///     | world rank + 1 | how many so far   | lane |      see ShmPort for the lanes
final class ContextIds {
    static final long WORLD = 1L << ShmPort.LANE_BITS, SELF = 2L << ShmPort.LANE_BITS;

    private final int worldRank;
    private long drawn;

    ContextIds(int worldRank) {
        this.worldRank = worldRank;
    }

    synchronized long draw() {
        return ((worldRank + 1L) << 32 | ++drawn) << ShmPort.LANE_BITS;
    }
}
