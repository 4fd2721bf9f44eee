package org.tutti.shm.match;

import org.jspecify.annotations.Nullable;

/// The contexts of a rank by their ids, and the pool of arrivals.
///
/// A context comes into being at its first mention, by a message or by this rank: a message on a new
/// communicator may arrive before this rank has made its own end of it.
public final class Matcher {
    /// What is shown by [#forEach].
    public interface Visitor {
        void visit(long id, MatchContext context);
    }

    private long[] ids = new long[16];
    private @Nullable MatchContext[] contexts = new @Nullable MatchContext[16];
    private int used;
    private @Nullable Arrival pool;

    /// The context with this id, which is never 0.
    public MatchContext context(long id) {
        int mask = ids.length - 1;
        for (int i = slot(id, mask); ; i = (i + 1) & mask) {
            MatchContext c = contexts[i];
            if (c == null) return add(id);
            if (ids[i] == id) return c;
        }
    }

    private static int slot(long id, int mask) {
        return (int) ((id * 0x9E3779B97F4A7C15L) >>> 40) & mask;
    }

    private MatchContext add(long id) {
        if (2 * (used + 1) > ids.length) {
            long[] oldIds = ids;
            @Nullable MatchContext[] old = contexts;
            ids = new long[2 * oldIds.length];
            contexts = new @Nullable MatchContext[2 * oldIds.length];
            used = 0;
            for (int i = 0; i < oldIds.length; i++) {
                MatchContext c = old[i];
                // what a freed communicator left is dropped here
                if (c != null && !(c.isEmpty() && c.isFreed())) put(oldIds[i], c);
            }
        }
        MatchContext c = new MatchContext();
        put(id, c);
        return c;
    }

    private void put(long id, MatchContext c) {
        int mask = ids.length - 1;
        int i = slot(id, mask);
        while (contexts[i] != null) i = (i + 1) & mask;
        ids[i] = id;
        contexts[i] = c;
        used++;
    }

    /// Shows every context that was mentioned and is not forgotten.
    public void forEach(Visitor visitor) {
        for (int i = 0; i < ids.length; i++) {
            MatchContext c = contexts[i];
            if (c != null) visitor.visit(ids[i], c);
        }
    }

    /// An arrival to be filled in.
    public Arrival take() {
        Arrival a = pool;
        if (a == null) return new Arrival();
        pool = a.next;
        a.next = null;
        return a;
    }

    public void giveBack(Arrival a) {
        a.clean();
        a.next = pool;
        pool = a;
    }
}
