package org.tutti.shm;

import org.tutti.spi.CreationKey;

/// Draws the ids of this process's communicators. Whoever is first in a group draws for it, and no other
/// process ever draws the same: 64 bits are enough to never use one again.
///
///     63             34 33               2 1    0
///     | process + 1    | how many so far   | lane |      see ShmPort for the lanes
final class ContextIds {
    static final long WORLD = 1L << ShmPort.LANE_BITS, SELF = 2L << ShmPort.LANE_BITS;

    /// In which processes ask others to meet them.
    static final long MEETING = 4L << ShmPort.LANE_BITS;

    private final int process;
    private long drawn;

    ContextIds(int process) {
        this.process = process;
    }

    /// The context for the messages of one creation. The highest bit distinguishes it from contexts of communicators,
    /// the next one a key of a name from a drawn one.
    static long of(CreationKey key) {
        long named = 1L << 62, bits = key.isName() ? key.number() & named - 1 | named : drawn(key);
        return Long.MIN_VALUE | bits & -1L << ShmPort.LANE_BITS;
    }

    private static long drawn(CreationKey key) {
        return ((key.process() + 1L) << 32 | key.number()) << ShmPort.LANE_BITS;
    }

    synchronized long draw() {
        return ((process + 1L) << 32 | ++drawn) << ShmPort.LANE_BITS;
    }
}
