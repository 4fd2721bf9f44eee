package org.tutti.coll.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The awaited ranks of a wait for a lock: if one of these dies, the lock is never released.
class WindowLocksTest {
    private static final int RANKS = 3;

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "TEST");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    private final List<Integer> rung = new ArrayList<>();
    private final SharedMemoryAccess memory =
            new SharedMemoryAccess(Arena.ofAuto().allocate(ControlBlock.bytes(RANKS), Long.BYTES));

    private WindowRanks ranks(int me) {
        return new WindowRanks(new Port(me), memory, rung::add, new long[RANKS]);
    }

    private static int[] awaited(@Nullable LocalWait wait) {
        assertThat(wait).isNotNull();
        int[] awaited = wait == null ? null : wait.awaited();
        return awaited == null ? new int[0] : awaited;
    }

    @Test
    void aWaitForALockAwaitsAllEarlierRequests() {
        List<TicketLock> locks = IntStream.range(0, RANKS)
                .mapToObj(r -> new TicketLock(new Port(r), ranks(r)))
                .toList();
        assertThat(locks.get(2).lock(0, true)).isNull();
        LocalWait second = locks.get(0).lock(0, true), third = locks.get(1).lock(0, false);
        assertThat(awaited(second)).containsExactly(2);
        assertThat(awaited(third)).containsExactly(0, 2);
        locks.get(2).unlock(0);
        assertThat(awaited(third)).as("has not yet checked for its turn").containsExactly(0);
    }

    @Test
    void aWaitToAccumulateAwaitsTheHolder() {
        AccumulateLocks first = new AccumulateLocks(ranks(2), _ -> {});
        List<LocalWait> waits = new ArrayList<>();
        AccumulateLocks other = new AccumulateLocks(ranks(1), waits::add);
        first.acquire("accumulate", 0);
        other.acquire("accumulate", 0);
        LocalWait wait = waits.getFirst();
        assertThat(wait.isOver()).isFalse();
        assertThat(wait.isOver()).as("the second poll").isFalse();
        assertThat(awaited(wait)).containsExactly(2);
        assertThat(rung).isEmpty();
        first.release(0);
        assertThat(rung).as("ranks that may wait").containsExactly(0, 1, 2);
        assertThat(awaited(wait)).isEmpty();
        assertThat(wait.isOver()).isTrue();
        assertThat(awaited(wait)).as("itself").isEmpty();
    }
}
