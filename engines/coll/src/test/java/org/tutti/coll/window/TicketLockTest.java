package org.tutti.coll.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

class TicketLockTest {
    private static final int RANKS = 5;

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "TEST");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    /// Counters in fields, without a window; unlike the `draw` of [WindowRanks], this `draw` also reports
    /// whether a shared lock is granted immediately.
    private static final class PackedCounters implements TicketLock.Counters {
        private long drawn, read, write;
        private int reads;

        @Override
        public long draw(int target, boolean exclusive) {
            long ticket = drawn++;
            return !exclusive && read == ticket ? ~ticket : ticket;
        }

        @Override
        public boolean isTurn(int target, long ticket, boolean exclusive) {
            reads++;
            return (exclusive ? write : read) == ticket;
        }

        @Override
        public void admit(int target, long ticket) {
            assertThat(read).isEqualTo(ticket);
            read = ticket + 1;
        }

        @Override
        public void release(int target) {
            write++;
        }
    }

    private final List<Integer> rung = new ArrayList<>();
    private final SharedMemoryAccess memory =
            new SharedMemoryAccess(Arena.ofAuto().allocate(ControlBlock.bytes(RANKS), Long.BYTES));

    private TicketLock shared(int rank) {
        Port port = new Port(rank);
        return new TicketLock(port, new WindowRanks(port, memory, rung::add, new long[RANKS]));
    }

    private List<TicketLock> shared() {
        return IntStream.range(0, RANKS).mapToObj(this::shared).toList();
    }

    private static List<TicketLock> packed(PackedCounters counters) {
        return IntStream.range(0, RANKS)
                .mapToObj(r -> new TicketLock(new Port(r), counters))
                .toList();
    }

    private static LocalWait waits(@Nullable LocalWait wait) {
        if (wait == null) throw new AssertionError("the lock is granted");
        assertThat(wait.isOver()).isFalse();
        return wait;
    }

    @Test
    void aSharedRequestDoesNotOvertakeAnExclusiveOne() {
        List<TicketLock> locks = shared();
        assertThat(locks.get(0).lock(0, false)).isNull();
        LocalWait exclusive = waits(locks.get(1).lock(0, true)),
                later = waits(locks.get(2).lock(0, false));
        locks.get(0).unlock(0);
        assertThat(rung).containsExactly(1);
        assertThat(later.isOver()).isFalse();
        assertThat(exclusive.isOver()).isTrue();
        locks.get(1).unlock(0);
        assertThat(rung).containsExactly(1, 2);
        assertThat(later.isOver()).isTrue();
    }

    @Test
    void aSharedLockAdmitsTheNextSharedRequest() {
        List<TicketLock> locks = shared();
        assertThat(locks.get(0).lock(0, true)).isNull();
        LocalWait second = waits(locks.get(1).lock(0, false)),
                third = waits(locks.get(2).lock(0, false));
        locks.get(0).unlock(0);
        assertThat(rung).containsExactly(1);
        assertThat(third.isOver()).as("rank 1 has not checked for its turn").isFalse();
        assertThat(second.isOver()).isTrue();
        assertThat(rung).containsExactly(1, 2);
        assertThat(third.isOver()).isTrue();
    }

    @Test
    void locksOfSharedMemoryAreGrantedInTheOrderOfTheRequests() {
        grantsInOrder(shared());
    }

    @Test
    void locksOfPackedCountersAreGrantedInTheOrderOfTheRequests() {
        grantsInOrder(packed(new PackedCounters()));
    }

    private record Request(
            int rank, boolean exclusive, @Nullable LocalWait turn) {}

    /// Random requests, turns and releases, compared with a queue.
    private static void grantsInOrder(List<TicketLock> locks) {
        long seed = 20261128;
        SplittableRandom random = new SplittableRandom(seed);
        List<Request> waiting = new ArrayList<>(), holding = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            String at = "seed " + seed + ", step " + step;
            int rank = random.nextInt(RANKS);
            boolean isIdle = waiting.stream().noneMatch(r -> r.rank == rank)
                    && holding.stream().noneMatch(r -> r.rank == rank);
            if (isIdle) {
                boolean exclusive = random.nextInt(3) == 0, isFree = waiting.isEmpty() && fits(holding, exclusive);
                Request request = new Request(rank, exclusive, locks.get(rank).lock(0, exclusive));
                assertThat(request.turn == null).as(at).isEqualTo(isFree);
                (isFree ? holding : waiting).add(request);
            } else if (holding.removeIf(r -> r.rank == rank)) {
                locks.get(rank).unlock(0);
            }
            for (Request request : List.copyOf(waiting)) {
                boolean isFirst = request == waiting.getFirst() && fits(holding, request.exclusive);
                assertThat(request.turn != null && request.turn.isOver()).as(at).isEqualTo(isFirst);
                if (isFirst) holding.add(waiting.removeFirst());
            }
        }
    }

    private static boolean fits(List<Request> holding, boolean exclusive) {
        return holding.isEmpty() || !exclusive && !holding.getFirst().exclusive;
    }

    @Test
    void theCountersAreNotReadAgainAfterADrawThatGrantsTheLock() {
        PackedCounters counters = new PackedCounters();
        List<TicketLock> locks = packed(counters);
        assertThat(locks.get(0).lock(0, false)).isNull();
        assertThat(locks.get(1).lock(0, false)).isNull();
        assertThat(counters.reads).isZero();
        locks.get(0).unlock(0);
        locks.get(1).unlock(0);
        assertThat(locks.get(2).lock(0, true)).isNull();
        assertThat(counters.reads).as("of an exclusive lock").isEqualTo(1);
    }

    @Test
    void aWaitStaysOverAndTakesItsTurnOnce() {
        PackedCounters counters = new PackedCounters();
        List<TicketLock> locks = packed(counters);
        assertThat(locks.get(0).lock(0, true)).isNull();
        LocalWait wait = waits(locks.get(1).lock(0, false));
        locks.get(0).unlock(0);
        assertThat(wait.isOver()).isTrue();
        assertThat(wait.isOver()).isTrue();
        assertThat(counters.read).isEqualTo(2);
    }

    @Test
    void laterTicketsWaitForARankThatLeavesItsWait() {
        List<TicketLock> locks = shared();
        assertThat(locks.get(0).lock(0, true)).isNull();
        waits(locks.get(1).lock(0, true)); // the engine of this rank throws
        LocalWait later = waits(locks.get(2).lock(0, false));
        locks.get(0).unlock(0);
        assertThat(later.isOver()).isFalse();
        assertThat(later.awaited()).containsExactly(1);
        assertThat(later.what()).isEqualTo("lock(SHARED, target=0) on TEST, which is being passed on");
    }

    @Test
    void aWaitOfSharedMemoryNamesTheHolders() {
        List<TicketLock> locks = shared();
        assertThat(locks.get(0).lock(0, false)).isNull();
        assertThat(locks.get(3).lock(0, false)).isNull();
        LocalWait wait = waits(locks.get(1).lock(0, true));
        String text = "lock(EXCLUSIVE, target=0) on TEST, which is held by ";
        assertThat(wait.operation()).isEqualTo("lock");
        assertThat(wait.what()).isEqualTo(text + "ranks 0, 3");
        assertThat(wait.what((_, _, _) -> "A.java:12")).isEqualTo(text + "ranks 0, 3 at A.java:12");
        assertThat(wait.what((_, rank, _) -> rank == 0 ? "A.java:12" : ""))
                .isEqualTo(text + "rank 0 at A.java:12, rank 3");
        assertThat(wait.awaited()).containsExactly(0, 3);
        assertThat(wait.port()).isNotNull();
        locks.get(0).unlock(0);
        assertThat(wait.what()).isEqualTo(text + "rank 3");
    }

    @Test
    void aWaitWithoutPublishedStatesNamesNoHolder() {
        List<TicketLock> locks = packed(new PackedCounters());
        assertThat(locks.get(0).lock(0, true)).isNull();
        LocalWait wait = waits(locks.get(1).lock(0, false));
        assertThat(wait.what()).isEqualTo("lock(SHARED, target=0) on TEST");
        assertThat(wait.awaited()).isNull();
        assertThat(wait.port()).isNull();
        assertThat(wait.completesByMessages()).isTrue();
    }

    @Test
    void anExclusiveLockExcludesThreads() throws Exception {
        int rounds = 2_000;
        long[] sum = {0};
        List<Thread> threads = new ArrayList<>();
        SharedMemoryAccess values =
                new SharedMemoryAccess(Arena.ofAuto().allocate(ControlBlock.bytes(RANKS), Long.BYTES));
        for (int r = 0; r < 3; r++) {
            Port port = new Port(r);
            TicketLock lock = new TicketLock(port, new WindowRanks(port, values, _ -> {}, new long[RANKS]));
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    LocalWait wait = lock.lock(0, true);
                    while (wait != null && !wait.isOver()) Thread.yield();
                    sum[0]++;
                    lock.unlock(0);
                }
            }));
        }
        for (Thread thread : threads) thread.join();
        assertThat(sum[0]).isEqualTo(3L * rounds);
    }
}
