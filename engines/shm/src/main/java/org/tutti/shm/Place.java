package org.tutti.shm;

import java.util.stream.IntStream;

/// The position of a process in the job.
///
/// @param rank the rank in the process's world
/// @param size the size of that world; the ranks are consecutive processes
/// @param first the number of that world's first process; 0 in the world that the launcher started
record Place(int rank, int size, int first) {
    /// Returns the number of the process in the shared memory.
    int process() {
        return first + rank;
    }

    /// Returns the processes of this process's world.
    int[] world() {
        return IntStream.range(first, first + size).toArray();
    }

    /// Returns the rank of a process in this world; -1 if the process is not in this world.
    int worldRank(int process) {
        return process >= first && process < first + size ? process - first : -1;
    }
}
