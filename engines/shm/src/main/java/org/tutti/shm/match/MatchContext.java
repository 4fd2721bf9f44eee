package org.tutti.shm.match;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// The two matching queues of a context: posted receives and unexpected messages.
public final class MatchContext {
    private @Nullable ShmTransfer firstPosted;
    private @Nullable ShmTransfer lastPosted;
    private @Nullable Arrival firstArrival;
    private @Nullable Arrival lastArrival;

    /// The first of the messages that a matched probe has reserved and that no receive has taken yet.
    private @Nullable Arrival firstReserved;

    /// The number of active collective calls that are matched in this context.
    private int calls;

    /// The number of finished calls with stored signatures. A power of two.
    private static final int REMEMBERED = 16;

    private static final int LONGS = 4;

    /// In the context of collective calls: the highest number of a call that this rank has finished.
    private int highestFinished;

    /// The signatures of the last finished calls. The entry of a call contains the number of the call and three
    /// longs; the index of the entry is computed from the number.
    private long @Nullable [] finished;

    private @Nullable CommPort port;

    /// Records that this rank has finished the collective call `number`, which has this signature.
    public void finish(CommPort on, long number, long wordA, long wordB, long wordC) {
        calls--;
        if ((int) number - highestFinished > 0) highestFinished = (int) number;
        port = on;
        long[] f = finished;
        if (f == null) {
            f = new long[REMEMBERED * LONGS];
            finished = f;
        }
        int at = place((int) number);
        f[at] = number;
        f[at + 1] = wordA;
        f[at + 2] = wordB;
        f[at + 3] = wordC;
    }

    private static int place(int number) {
        return (number & REMEMBERED - 1) * LONGS;
    }

    /// Returns whether this rank has finished call `number` or a later call. Calls can finish in any order, so
    /// call `number` itself may still be active if a later call has finished.
    public boolean isReached(int number) {
        return number - highestFinished <= 0;
    }

    /// Returns whether the signature of call `number` is stored.
    public boolean remembers(int number) {
        long[] f = finished;
        return f != null && (int) f[place(number)] == number;
    }

    /// Returns part 0, 1 or 2 of the signature of a stored call.
    public long word(int number, int which) {
        long[] f = finished;
        if (f == null) throw new IllegalStateException("no call has been finished here");
        return f[place(number) + 1 + which];
    }

    public @Nullable CommPort port() {
        return port;
    }

    /// Sets the communicator of this context, which is used in messages of faults.
    public void port(CommPort owner) {
        port = owner;
    }

    /// Returns the first unexpected message, or null.
    public @Nullable Arrival first() {
        return firstArrival;
    }

    /// Registers an active collective call; [#finish] removes it.
    public void begin() {
        calls++;
    }

    /// Returns whether no receive is posted and no message is stored.
    public boolean isIdle() {
        return firstPosted == null && firstArrival == null;
    }

    /// Appends a receive for which there is no matching message.
    public void post(ShmTransfer receive) {
        receive.next = null;
        receive.posted = true;
        if (lastPosted == null) firstPosted = receive;
        else lastPosted.next = receive;
        lastPosted = receive;
    }

    /// Removes and returns the first posted receive that matches, or null.
    public @Nullable ShmTransfer takePosted(int source, int tag) {
        ShmTransfer before = null;
        for (ShmTransfer t = firstPosted; t != null; before = t, t = t.next) {
            if (t.takes(source, tag)) {
                unlink(before, t);
                return t;
            }
        }
        return null;
    }

    /// Removes a receive for cancellation. Returns false if the receive is no longer posted.
    public boolean withdraw(ShmTransfer receive) {
        if (!receive.posted) return false;
        ShmTransfer before = null;
        for (ShmTransfer t = firstPosted; t != null; before = t, t = t.next) {
            if (t == receive) {
                unlink(before, t);
                return true;
            }
        }
        return false;
    }

    /// Removes the posted receives that `which` selects, and passes each to `then`.
    public void withdraw(Predicate<ShmTransfer> which, Consumer<ShmTransfer> then) {
        ShmTransfer before = null;
        for (ShmTransfer t = firstPosted; t != null; ) {
            ShmTransfer after = t.next;
            if (which.test(t)) {
                unlink(before, t);
                then.accept(t);
            } else {
                before = t;
            }
            t = after;
        }
    }

    private void unlink(@Nullable ShmTransfer before, ShmTransfer t) {
        if (before == null) firstPosted = t.next;
        else before.next = t.next;
        if (lastPosted == t) lastPosted = before;
        t.next = null;
        t.posted = false;
    }

    /// Appends an unexpected message.
    public void keep(Arrival arrival) {
        arrival.next = null;
        if (lastArrival == null) firstArrival = arrival;
        else lastArrival.next = arrival;
        lastArrival = arrival;
    }

    /// Returns the first matching message without removal.
    public @Nullable Arrival find(ShmTransfer pattern) {
        for (Arrival a = firstArrival; a != null; a = a.next) {
            if (pattern.takes(a.source, a.tag)) return a;
        }
        return null;
    }

    /// Removes and returns the first matching message, or null.
    public @Nullable Arrival takeArrival(ShmTransfer receive) {
        Arrival before = null;
        for (Arrival a = firstArrival; a != null; before = a, a = a.next) {
            if (!receive.takes(a.source, a.tag)) continue;
            if (before == null) firstArrival = a.next;
            else before.next = a.next;
            if (lastArrival == a) lastArrival = before;
            a.next = null;
            return a;
        }
        return null;
    }

    /// Removes and returns the first message, or null.
    public @Nullable Arrival takeFirst() {
        Arrival a = firstArrival;
        if (a == null) return null;
        firstArrival = a.next;
        if (lastArrival == a) lastArrival = null;
        a.next = null;
        return a;
    }

    /// Returns whether no receive is posted, no message is stored, and no call is active.
    public boolean isEmpty() {
        return calls == 0 && firstPosted == null && firstArrival == null && firstReserved == null;
    }

    /// Reserves a message, which [#takeArrival] has removed, for one receive.
    public void reserve(Arrival a) {
        a.next = firstReserved;
        firstReserved = a;
    }

    /// Removes a reserved message.
    public void takeReserved(Arrival wanted) {
        Arrival before = null;
        for (Arrival a = firstReserved; a != null; before = a, a = a.next) {
            if (a != wanted) continue;
            if (before == null) firstReserved = a.next;
            else before.next = a.next;
            a.next = null;
            return;
        }
        throw new IllegalStateException("the message was not reserved, or was already received");
    }

    /// Returns the first reserved message.
    public @Nullable Arrival firstReserved() {
        return firstReserved;
    }
}
