package org.tutti.libmpi;

import static org.tutti.libmpi.raw.Constants.MPI_COMM_NULL;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// A communicator of the library, and its shadow: the same group in a context that no user's message is in.
/// One with ranks that are no Java programs is mixed and has none, because those would have to make it too.
final class NativeComm extends CommPort {
    final long handle;

    /// `MPI_COMM_NULL` if it is mixed.
    final long shadow;

    /// Numbers the objects sent from here, so that their rests cannot be taken for each other.
    final AtomicInteger objects = new AtomicInteger();

    /// Itself, as long as it is open, and what goes on over it by more messages than it began with.
    private final AtomicInteger uses = new AtomicInteger(1);

    /// By rank; -1 for those of other worlds.
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

    /// A nonblocking collective call, or the receive of an object, is under way.
    void begins() {
        uses.incrementAndGet();
    }

    /// That is over; or the communicator is closed.
    void ends() {
        uses.decrementAndGet();
    }

    /// Whether its handles are of no use to anybody any more.
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

    /// Which of its ranks these processes are; null when some are none of them.
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
