package org.tutti.libmpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.LocalWait;

/// The locks of a window's targets, shared or exclusive, in the order in which they were asked for.
///
/// Who asks draws a ticket. An exclusive lock is his when as many locks were given back as tickets were drawn
/// before, which `passed` counts. A shared one is his when all before him either hold a shared lock or have gone,
/// which `shared` counts. Tickets and `shared` are the halves of one word, so that who asks learns at once whether
/// a shared lock is free: each look at a word may be a round trip.
///
///     turns = drawn · 2^32 + shared        passed
///
/// Nobody is woken: who waits looks again.
final class TargetLocks {
    private static final long TICKET = 1L << Integer.SIZE;

    private final NativeWindow window;
    private final WindowWords words;

    /// What this rank has of each target: the ticket, and whether it is for an exclusive lock.
    private final int[] tickets;

    private final boolean[] exclusive;

    TargetLocks(NativeWindow window, WindowWords words) {
        this.window = window;
        this.words = words;
        tickets = new int[window.port().size()];
        exclusive = new boolean[window.port().size()];
    }

    /// Asks for the lock of `target`, which this rank neither has nor waits for. Null when it has it now.
    @Nullable
    LocalWait lock(int target, boolean alone) {
        long turns = words.add(target, WindowWords.TURNS, TICKET);
        int ticket = (int) (turns >>> Integer.SIZE);
        tickets[target] = ticket;
        exclusive[target] = alone;
        Turn turn = new Turn(target, ticket, alone);
        if (!alone && (int) turns == ticket) {
            letNextIn(target, ticket);
            return null;
        }
        return turn.isOver() ? null : turn;
    }

    void unlock(int target) {
        if (exclusive[target]) letNextIn(target, tickets[target]);
        words.add(target, WindowWords.PASSED, 1);
    }

    /// `shared` becomes one more than `ticket`, which it is. Its half of the word overflows into nothing.
    private void letNextIn(int target, int ticket) {
        words.add(target, WindowWords.TURNS, ticket == -1 ? 1 - TICKET : 1);
    }

    /// The wait for a turn.
    private final class Turn implements LocalWait {
        private final int target;
        private final int ticket;
        private final boolean alone;
        private boolean holds;

        Turn(int target, int ticket, boolean alone) {
            this.target = target;
            this.ticket = ticket;
            this.alone = alone;
        }

        @Override
        public String operation() {
            return "lock";
        }

        @Override
        public String what() {
            return "lock(" + (alone ? "EXCLUSIVE" : "SHARED") + ", target=" + target + ") on "
                    + window.port().name();
        }

        @Override
        public boolean isOver() {
            if (holds) return true;
            if (alone) {
                holds = (int) words.get(target, WindowWords.PASSED) == ticket;
            } else if ((int) words.get(target, WindowWords.TURNS) == ticket) {
                letNextIn(target, ticket);
                holds = true;
            }
            return holds;
        }

        @Override
        public boolean alsoEndsByMessages() {
            return true;
        }
    }
}
