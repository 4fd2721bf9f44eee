package org.tutti.coll.window;

import java.lang.foreign.Arena;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The locks of a window of two ranks, and two guarded longs of rank 0. The tests create millions of pairs, so
/// [#close] makes the memory available for later pairs.
public final class LockPair {
    private static final int RANKS = 2;
    private static final long PAIR_BYTES = 2 * Long.BYTES, ALL = ControlBlock.bytes(RANKS) + PAIR_BYTES;
    private static final Queue<SharedMemoryAccess> KEPT = new ConcurrentLinkedQueue<>();

    private final SharedMemoryAccess memory;
    private final TicketLock[] locks = new TicketLock[RANKS];
    private final AccumulateLocks[] accumulates = new AccumulateLocks[RANKS];

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "STRESS");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    public LockPair() {
        SharedMemoryAccess kept = KEPT.poll();
        memory = kept == null ? new SharedMemoryAccess(Arena.global().allocate(ALL, Long.BYTES)) : kept;
        for (long at = 0; at < ALL; at += Long.BYTES) memory.setLong(at, 0);
        long[] blocks = {PAIR_BYTES, PAIR_BYTES};
        for (int r = 0; r < RANKS; r++) {
            WindowRanks ranks = new WindowRanks(new Port(r), memory, _ -> {}, blocks);
            locks[r] = new TicketLock(ranks.port(), ranks);
            accumulates[r] = new AccumulateLocks(ranks, LockPair::spin);
        }
    }

    /// Releases the memory when the pair is no longer used.
    public void close() {
        KEPT.add(memory);
    }

    private static void spin(LocalWait wait) {
        while (!wait.isOver()) Thread.onSpinWait();
    }

    public void lock(int rank, boolean exclusive) {
        LocalWait wait = locks[rank].lock(0, exclusive);
        if (wait != null) spin(wait);
    }

    public void unlock(int rank) {
        locks[rank].unlock(0);
    }

    /// Adds 1 to a long under the accumulate lock, and returns the previous value.
    public long increment(int rank) {
        accumulates[rank].acquire("fetchAndOp", 0);
        long old = load(0);
        store(0, old + 1);
        accumulates[rank].release(0);
        return old;
    }

    public long load(int index) {
        return memory.getLong((long) Long.BYTES * index);
    }

    public void store(int index, long value) {
        memory.setLong((long) Long.BYTES * index, value);
    }
}
