package org.tutti.coll.window;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.Words;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The locks of a window's targets, shared or exclusive, in the order in which they were asked for: nobody is
/// starved.
///
/// Each target has three counters. Who asks draws a ticket from `drawn`. An exclusive lock is his when as many
/// locks were given back as tickets were drawn before, which `write` counts. A shared one is his when all those
/// before him either hold a shared lock or have gone, which `read` counts: whoever gets a shared lock lets the next
/// one in, and whoever gives an exclusive one back lets him in, too.
///
///     tickets   0 shared  1 shared  2 exclusive  3 shared        drawn 4
///     0 and 1 hold it           read 2, write 0
///     0 has given it back       read 2, write 1
///     1 as well, 2 holds it     read 2, write 2
///     2 as well, 3 holds it     read 4, write 3
///
/// `state` says of each rank what it does there: 0, or its ticket + 1 in the upper bits and [#EXCLUSIVE] and
/// [#HOLDS]. It is stored before the counters are looked at, and read after they were changed, so a waiter is never
/// left asleep.
final class PassiveLocks {
    private static final long EXCLUSIVE = 1, HOLDS = 2;
    private static final int BITS = 2;

    private final WindowRanks ranks;
    private final Words memory;
    private final long[] blocks;
    private final long myState;

    PassiveLocks(WindowRanks ranks) {
        this.ranks = ranks;
        memory = ranks.memory();
        blocks = ranks.blocks();
        myState = ControlBlock.state(ranks.me());
    }

    /// Asks for the lock of `target`, which this rank neither has nor waits for. Null when it has it now.
    @Nullable
    LocalWait lock(int target, boolean exclusive) {
        long block = blocks[target];
        long ticket = memory.addLong(block + ControlBlock.DRAWN, 1);
        long kind = exclusive ? EXCLUSIVE : 0;
        memory.setLongRelease(block + myState, ticket + 1 << BITS | kind);
        VarHandle.fullFence();
        return enter(block, ticket, kind) ? null : new Turn(target, ticket, kind);
    }

    /// Takes the lock if it is this ticket's turn.
    private boolean enter(long block, long ticket, long kind) {
        boolean exclusive = kind == EXCLUSIVE;
        if (memory.getLongAcquire(block + (exclusive ? ControlBlock.WRITE : ControlBlock.READ)) != ticket) return false;
        memory.setLong(block + myState, ticket + 1 << BITS | kind | HOLDS);
        if (!exclusive) {
            memory.setLongRelease(block + ControlBlock.READ, ticket + 1);
            wake(block, ticket + 1, 0);
        }
        return true;
    }

    void unlock(int target) {
        long block = blocks[target];
        long state = memory.getLong(block + myState);
        memory.setLong(block + myState, 0);
        long ticket = (state >> BITS) - 1;
        boolean exclusive = (state & EXCLUSIVE) != 0;
        if (exclusive) memory.setLongRelease(block + ControlBlock.READ, ticket + 1);
        long next = memory.addLong(block + ControlBlock.WRITE, 1) + 1;
        wake(block, next, EXCLUSIVE);
        if (exclusive) wake(block, next, 0);
    }

    /// Wakes who waits with this ticket for a lock of this kind.
    private void wake(long block, long ticket, long kind) {
        VarHandle.fullFence();
        if (memory.getLongAcquire(block + ControlBlock.DRAWN) <= ticket) return;
        for (int r = 0; r < ranks.size(); r++) {
            if (memory.getLongAcquire(block + ControlBlock.state(r)) == (ticket + 1 << BITS | kind)) ranks.ring(r);
        }
    }

    /// See [org.tutti.spi.WindowPort#lockLine].
    int line(int target) {
        return lineOf(target, ranks.me());
    }

    void noteLine(int target, int line) {
        memory.setLong(blocks[target] + ControlBlock.line(ranks.size(), ranks.me()), line);
    }

    private int lineOf(int target, int rank) {
        return (int) memory.getLong(blocks[target] + ControlBlock.line(ranks.size(), rank));
    }

    private int[] holders(int target) {
        return IntStream.range(0, ranks.size())
                .filter(r -> (memory.getLongAcquire(blocks[target] + ControlBlock.state(r)) & HOLDS) != 0)
                .toArray();
    }

    /// The wait for a turn.
    private final class Turn implements LocalWait {
        private final int target;
        private final long ticket;
        private final long kind;
        private boolean holds;

        Turn(int target, long ticket, long kind) {
            this.target = target;
            this.ticket = ticket;
            this.kind = kind;
        }

        @Override
        public String operation() {
            return "lock";
        }

        @Override
        public String what() {
            return what(LineTexts.NONE);
        }

        @Override
        public String what(LineTexts lines) {
            int[] holders = holders(target);
            return "lock(" + (kind == EXCLUSIVE ? "EXCLUSIVE" : "SHARED") + ", target=" + target + ") on "
                    + ranks.port().name() + ", which is "
                    + (holders.length == 0 ? "being handed over" : "held by " + named(holders, lines));
        }

        /// `ranks 0, 2 at A.java:12`; where these differ `rank 0 at A.java:12, rank 2 at B.java:3`.
        private String named(int[] holders, LineTexts lines) {
            String[] at = IntStream.of(holders)
                    .mapToObj(r -> lines.text(ranks.port(), r, lineOf(target, r)))
                    .map(text -> text.isEmpty() ? "" : " at " + text)
                    .toArray(String[]::new);
            if (Arrays.stream(at).distinct().count() == 1) return WindowRanks.named(holders) + at[0];
            return IntStream.range(0, at.length)
                    .mapToObj(i -> "rank " + holders[i] + at[i])
                    .collect(Collectors.joining(", "));
        }

        @Override
        public boolean isOver() {
            if (!holds) holds = enter(blocks[target], ticket, kind);
            return holds;
        }

        @Override
        public boolean alsoEndsByMessages() {
            return true;
        }

        /// Those who have it, and those who have asked before: each of them lets the next one in.
        @Override
        public int[] awaited() {
            return IntStream.range(0, ranks.size())
                    .filter(r -> isBefore(memory.getLongAcquire(blocks[target] + ControlBlock.state(r))))
                    .toArray();
        }

        private boolean isBefore(long state) {
            return state != 0 && state >> BITS <= ticket;
        }

        @Override
        public CommPort port() {
            return ranks.port();
        }
    }
}
