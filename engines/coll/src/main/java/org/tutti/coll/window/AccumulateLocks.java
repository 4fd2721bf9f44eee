package org.tutti.coll.window;

import java.util.function.Consumer;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The locks that make accumulates atomic: one per target, regardless of types, operations and lengths, so that
/// all accumulates on a target are mutually atomic. A lock is held for one access.
///
/// The lock's value is 0 when free; otherwise the upper bits contain the holder's rank plus one, and the lowest
/// bit is set if a rank may be waiting.
final class AccumulateLocks {
    private static final long FREE = 0, WANTED = 1;

    /// The number of attempts before a sleep. A lock is usually held for only a few nanoseconds.
    private static final int SPINS = 64;

    private static final int[] NO_RANKS = {};

    private final WindowRanks ranks;
    private final SharedMemoryAccess memory;
    private final Consumer<LocalWait> waiter;

    /// The value of a lock that this rank holds and for which no rank waits.
    private final long mine;

    /// @param waiter executes a wait; returns when the wait is over
    AccumulateLocks(WindowRanks ranks, Consumer<LocalWait> waiter) {
        this.ranks = ranks;
        this.waiter = waiter;
        memory = ranks.memory();
        mine = ranks.me() + 1L << 1;
    }

    private long word(int target) {
        return ranks.blocks()[target] + ControlBlock.ACCUMULATE;
    }

    void acquire(String operation, int target) {
        long word = word(target);
        for (int i = 0; i < SPINS; i++) {
            if (memory.compareAndSetLong(word, FREE, mine)) return;
            Thread.onSpinWait();
        }
        waiter.accept(new Turn(operation, target, word));
    }

    void release(int target) {
        long word = word(target);
        if (memory.compareAndSetLong(word, mine, FREE)) return;
        memory.setLongRelease(word, FREE);
        // a thread of this rank may wait, too
        for (int r = 0; r < ranks.size(); r++) ranks.ring(r);
    }

    private final class Turn extends WindowWait {
        private final int target;
        private final long word;

        Turn(String operation, int target, long word) {
            super(operation);
            this.target = target;
            this.word = word;
        }

        @Override
        public String what() {
            return operation() + " at target=" + target + " on " + ranks.port().name() + ", in the queue for the lock";
        }

        @Override
        protected boolean checkOver() {
            // returns false only if the lock is marked as wanted: then its holder will wake all ranks
            for (; ; ) {
                long held = memory.getLongAcquire(word);
                if (held == FREE) {
                    if (memory.compareAndSetLong(word, FREE, mine | WANTED)) return true;
                } else if ((held & WANTED) != 0 || memory.compareAndSetLong(word, held, held | WANTED)) {
                    return false;
                }
            }
        }

        /// The awaited rank is the holder of the lock. It releases the lock before its call returns, unless it
        /// dies.
        @Override
        public int[] awaited() {
            int holder = (int) (memory.getLongAcquire(word) >>> 1) - 1;
            return holder < 0 || holder == ranks.me() ? NO_RANKS : new int[] {holder};
        }

        @Override
        public CommPort port() {
            return ranks.port();
        }
    }
}
