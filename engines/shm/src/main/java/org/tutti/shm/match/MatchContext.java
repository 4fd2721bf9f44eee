package org.tutti.shm.match;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// The two queues of one context.
public final class MatchContext {
    private @Nullable ShmTransfer firstPosted;
    private @Nullable ShmTransfer lastPosted;
    private @Nullable Arrival firstArrival;
    private @Nullable Arrival lastArrival;

    /// Messages that a taking probe found and no receive has begun to take.
    private @Nullable Arrival firstTaken;

    /// Collective calls that are matched here and have not ended.
    private int calls;

    /// Calls that are remembered. A power of two.
    private static final int REMEMBERED = 16;

    private static final int WORDS = 4;

    /// Of the context of collective calls: the highest number of those that this rank has finished here.
    private int highestFinished;

    /// And what the last ones were, by their numbers: number, and the three words that describe it.
    private long @Nullable [] finished;

    private @Nullable CommPort port;

    /// This rank has finished its `number`-th collective call, which is described by these words.
    public void finish(CommPort on, long number, long wordA, long wordB, long wordC) {
        calls--;
        if ((int) number - highestFinished > 0) highestFinished = (int) number;
        port = on;
        long[] f = finished;
        if (f == null) {
            f = new long[REMEMBERED * WORDS];
            finished = f;
        }
        int at = place((int) number);
        f[at] = number;
        f[at + 1] = wordA;
        f[at + 2] = wordB;
        f[at + 3] = wordC;
    }

    private static int place(int number) {
        return (number & REMEMBERED - 1) * WORDS;
    }

    /// Whether this rank may have finished call `number`: it has, unless the call is one of those that are
    /// active still, as calls may finish in any order.
    public boolean isReached(int number) {
        return number - highestFinished <= 0;
    }

    /// Whether it is remembered what call `number` was.
    public boolean remembers(int number) {
        long[] f = finished;
        return f != null && (int) f[place(number)] == number;
    }

    /// Word 0, 1 or 2 of a call that is remembered.
    public long word(int number, int which) {
        long[] f = finished;
        if (f == null) throw new IllegalStateException("no call has been finished here");
        return f[place(number) + 1 + which];
    }

    public @Nullable CommPort port() {
        return port;
    }

    /// Whose context it is, for texts.
    public void port(CommPort owner) {
        port = owner;
    }

    /// The first message that is still here; null when there is none.
    public @Nullable Arrival first() {
        return firstArrival;
    }

    /// A collective call begins here; [#finish] ends it.
    public void begin() {
        calls++;
    }

    /// Whether no receive waits for a message here, and no message for a receive.
    public boolean isIdle() {
        return firstPosted == null && firstArrival == null;
    }

    /// Appends a receive for which no arrival fitted.
    public void post(ShmTransfer receive) {
        receive.next = null;
        receive.posted = true;
        if (lastPosted == null) firstPosted = receive;
        else lastPosted.next = receive;
        lastPosted = receive;
    }

    /// Takes out the first posted receive that fits a message; null when there is none.
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

    /// Takes out a receive that is to be cancelled; false when it is not posted any more.
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

    /// Takes out the posted receives that `which` says, and hands them to `then`.
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

    /// Appends a message for which no receive was posted.
    public void keep(Arrival arrival) {
        arrival.next = null;
        if (lastArrival == null) firstArrival = arrival;
        else lastArrival.next = arrival;
        lastArrival = arrival;
    }

    /// The first message that fits; it stays.
    public @Nullable Arrival find(ShmTransfer pattern) {
        for (Arrival a = firstArrival; a != null; a = a.next) {
            if (pattern.takes(a.source, a.tag)) return a;
        }
        return null;
    }

    /// Takes out the first message that fits; null when there is none.
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

    /// Takes out the first message; null when there is none.
    public @Nullable Arrival takeFirst() {
        Arrival a = firstArrival;
        if (a == null) return null;
        firstArrival = a.next;
        if (lastArrival == a) lastArrival = null;
        a.next = null;
        return a;
    }

    /// Nothing posted, nothing kept, no call under way.
    public boolean isEmpty() {
        return calls == 0 && firstPosted == null && firstArrival == null && firstTaken == null;
    }

    /// Sets a message aside that came out of [#takeArrival], for one receive alone.
    public void setAside(Arrival a) {
        a.next = firstTaken;
        firstTaken = a;
    }

    /// Takes out a message that was set aside.
    public void takeBack(Arrival wanted) {
        Arrival before = null;
        for (Arrival a = firstTaken; a != null; before = a, a = a.next) {
            if (a != wanted) continue;
            if (before == null) firstTaken = a.next;
            else before.next = a.next;
            a.next = null;
            return;
        }
        throw new IllegalStateException("a message that was not set aside, or received before");
    }

    /// The first of the messages that were set aside.
    public @Nullable Arrival firstTaken() {
        return firstTaken;
    }
}
