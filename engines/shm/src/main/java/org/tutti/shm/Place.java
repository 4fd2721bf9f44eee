package org.tutti.shm;

import java.util.stream.IntStream;

/// Where a process stands.
///
/// @param rank in its world
/// @param size of its world, whose ranks are consecutive processes
/// @param first the number of its world's first process; 0 in the world that the launcher started
record Place(int rank, int size, int first) {
    /// Its number among all processes that share the memory.
    int process() {
        return first + rank;
    }

    /// The processes of its world.
    int[] world() {
        return IntStream.range(first, first + size).toArray();
    }

    /// The rank of a process in this one's world; -1 if it is of another world.
    int worldRank(int process) {
        return process >= first && process < first + size ? process - first : -1;
    }
}
