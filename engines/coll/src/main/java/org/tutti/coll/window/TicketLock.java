package org.tutti.coll.window;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The shared and exclusive lock of each target of a window. Locks are granted in the order of the requests, so
/// that no rank starves.
///
/// Each target has three counters. A request draws a ticket from `drawn`. An exclusive lock is granted when
/// `write`, the number of released locks, equals the ticket. A shared lock is granted when `read` equals the
/// ticket: then each earlier ticket holds a shared lock or is released. The holder of a shared lock sets `read`
/// to the next ticket when the lock is granted, the holder of an exclusive lock when it releases the lock.
///
///     tickets  0 shared  1 shared  2 exclusive  3 shared        drawn 4
///     0 and 1 hold the lock                  read 2, write 0
///     0 is released                          read 2, write 1
///     1 is released, 2 holds the lock        read 2, write 2
///     2 is released, 3 holds the lock        read 4, write 3
///
/// A request cannot be withdrawn: a rank that abandons a wait would block all later tickets.
public final class TicketLock {
    /// Flags in the two lowest bits of a state. The upper bits of the state contain the ticket + 1.
    static final long EXCLUSIVE = 1, HOLDS = 2;

    private static final int BITS = 2;

    /// The counters of each target, used by all ranks.
    public interface Counters {
        /// Draws a ticket. Returns the ticket, or its bitwise complement if the draw shows that the lock is
        /// granted: the request is shared, and `read` equals the ticket. An implementation that reads only
        /// `drawn` always returns the ticket.
        long draw(int target, boolean exclusive);

        /// Returns whether `ticket` equals `read` for a shared lock, and `write` for an exclusive lock.
        boolean isTurn(int target, long ticket, boolean exclusive);

        /// Sets `read` from `ticket` to `ticket + 1`.
        void admit(int target, long ticket);

        /// Adds one to `write`.
        void release(int target);

        /// Publishes the state of this rank's request: 0 after the release.
        default void publish(int target, long state) {}

        /// Returns the last part of the description of a wait: the ranks that hold the lock, if known.
        default String holders(int target, LocalWait.LineTexts lines) {
            return "";
        }

        /// See [LocalWait#awaited].
        default int @Nullable [] awaited(int target, long ticket) {
            return null;
        }

        /// See [LocalWait#port].
        default @Nullable CommPort port() {
            return null;
        }
    }

    private final CommPort port;
    private final Counters counters;

    /// The state of this rank's last request at each target.
    private final long[] states;

    public TicketLock(CommPort port, Counters counters) {
        this.port = port;
        this.counters = counters;
        states = new long[port.size()];
    }

    /// Returns the state of a request that waits with `ticket`.
    static long state(long ticket, boolean exclusive) {
        return ticket + 1 << BITS | (exclusive ? EXCLUSIVE : 0);
    }

    /// Returns the ticket of a state; -1 for state 0.
    static long ticket(long state) {
        return (state >> BITS) - 1;
    }

    /// Requests the lock of `target`, at which this rank has no other request. Returns null if the lock is
    /// granted.
    public @Nullable LocalWait lock(int target, boolean exclusive) {
        long drawn = counters.draw(target, exclusive), ticket = Math.max(drawn, ~drawn);
        states[target] = state(ticket, exclusive);
        if (drawn >= 0 && !counters.isTurn(target, ticket, exclusive)) return new Turn(target, ticket, exclusive);
        enter(target, ticket, exclusive);
        return null;
    }

    private void enter(int target, long ticket, boolean exclusive) {
        counters.publish(target, state(ticket, exclusive) | HOLDS);
        if (!exclusive) counters.admit(target, ticket);
    }

    public void unlock(int target) {
        long state = states[target];
        counters.publish(target, 0);
        if ((state & EXCLUSIVE) != 0) counters.admit(target, ticket(state));
        counters.release(target);
    }

    private final class Turn extends WindowWait {
        private final int target;
        private final long ticket;
        private final boolean exclusive;

        Turn(int target, long ticket, boolean exclusive) {
            super("lock");
            this.target = target;
            this.ticket = ticket;
            this.exclusive = exclusive;
        }

        @Override
        protected boolean checkOver() {
            if (!counters.isTurn(target, ticket, exclusive)) return false;
            enter(target, ticket, exclusive);
            return true;
        }

        @Override
        public String what() {
            return what(LineTexts.NONE);
        }

        @Override
        public String what(LineTexts lines) {
            return "lock(" + (exclusive ? "EXCLUSIVE" : "SHARED") + ", target=" + target + ") on " + port.name()
                    + counters.holders(target, lines);
        }

        @Override
        public int @Nullable [] awaited() {
            return counters.awaited(target, ticket);
        }

        @Override
        public @Nullable CommPort port() {
            return counters.port();
        }
    }
}
