package org.tutti.libmpi;

import static org.tutti.libmpi.raw.Constants.MPI_COMM_NULL;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// A communicator of the library, and a shadow: a communicator of the same group in a context without user
/// messages. A mixed communicator, with ranks that are not Java programs, has no shadow, because all ranks
/// would have to create the shadow.
final class NativeComm extends CommPort {
    final long handle;

    /// `MPI_COMM_NULL` for a mixed communicator.
    final long shadow;

    /// The number of the next object sent on this communicator. It determines the tag of the data that does not
    /// fit next to the object's header ([ObjectTransfers]).
    final AtomicInteger objects = new AtomicInteger();

    /// The number of uses: the open communicator itself, and each operation that continues after the call that
    /// started it.
    private final AtomicInteger uses = new AtomicInteger(1);

    /// The world rank of each rank; -1 for ranks of other worlds.
    private final int[] worldRanks;

    private final int[] processes;
    private final boolean ofSeveralWorlds;

    NativeComm(int rank, int size, String name, long handle, long shadow, int[] worldRanks, int[] processes) {
        super(rank, size, name);
        this.handle = handle;
        this.shadow = shadow;
        this.worldRanks = worldRanks;
        this.processes = processes;
        ofSeveralWorlds = Arrays.stream(worldRanks).anyMatch(r -> r < 0);
    }

    boolean isMixed() {
        return shadow == MPI_COMM_NULL;
    }

    /// Records the start of a nonblocking collective call or of the receive of an object.
    void retain() {
        uses.incrementAndGet();
    }

    /// Records that an operation recorded by [#retain] has ended, or that the communicator has been closed.
    void release() {
        uses.decrementAndGet();
    }

    /// Returns whether the handles are no longer used.
    boolean isUnused() {
        return uses.get() == 0;
    }

    @Override
    public int worldRank(int rank) {
        return worldRanks[rank];
    }

    @Override
    public int process(int rank) {
        return processes[rank];
    }

    @Override
    public boolean isOfSeveralWorlds() {
        return ofSeveralWorlds;
    }

    /// Returns the ranks of these processes; null if one is not in the communicator.
    int @Nullable [] ranksOf(int[] some) {
        Map<Integer, Integer> ranks = new HashMap<>();
        for (int r = 0; r < processes.length; r++) ranks.put(processes[r], r);
        int[] found = new int[some.length];
        for (int i = 0; i < some.length; i++) {
            Integer rank = ranks.get(some[i]);
            if (rank == null) return null;
            found[i] = rank;
        }
        return found;
    }
}
