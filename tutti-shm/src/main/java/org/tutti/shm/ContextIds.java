package org.tutti.shm;

/// Draws the ids of this process's communicators. Whoever is first in a group draws for it, and no other
/// process ever draws the same: 64 bits are enough to never use one again.
///
///     63             34 33               2 1    0
///     | process + 1    | how many so far   | lane |      see ShmPort for the lanes
final class ContextIds {
    static final long WORLD = 1L << ShmPort.LANE_BITS, SELF = 2L << ShmPort.LANE_BITS;

    /// In which communicators of processes of several worlds are made.
    static final long ALL_PROCESSES = 3L << ShmPort.LANE_BITS;

    /// In which processes ask others to meet them.
    static final long MEETING = 4L << ShmPort.LANE_BITS;

    private final int process;
    private long drawn;

    ContextIds(int process) {
        this.process = process;
    }

    synchronized long draw() {
        return ((process + 1L) << 32 | ++drawn) << ShmPort.LANE_BITS;
    }
}
