package org.tutti.shm.match;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The contexts of a rank, found by id, and the pool of arrivals.
///
/// A context is created when a message or this rank first refers to it: a message on a new communicator may
/// arrive before this rank has created the communicator.
public final class Matcher {
    /// Called by [#forEach] for each context.
    public interface Visitor {
        void visit(long id, MatchContext context);
    }

    /// The maximum size of the pool, in bytes.
    static final long MOST_POOLED_BYTES = 1 << 20;

    private long[] ids = new long[16];
    private @Nullable MatchContext[] contexts = new @Nullable MatchContext[16];
    private int used;
    private @Nullable Arrival pool;
    private long pooledBytes;

    /// Contexts of closed communicators that still have pending operations.
    private final List<Long> freed = new ArrayList<>();

    /// Returns the context with this id, and creates it if necessary. An id is never 0.
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

    /// Returns the context with this id; null if it does not exist yet or has been removed.
    public @Nullable MatchContext known(long id) {
        int mask = ids.length - 1;
        for (int i = slot(id, mask); ; i = (i + 1) & mask) {
            MatchContext c = contexts[i];
            if (c == null || ids[i] == id) return c;
        }
    }

    /// Frees the context of a closed communicator: immediately if the context is empty, otherwise in a later
    /// call of this method.
    public void free(long id) {
        freed.add(id);
        freed.removeIf(this::forget);
    }

    /// Removes the context if it is empty; otherwise returns false.
    private boolean forget(long id) {
        int mask = ids.length - 1;
        int gap = slot(id, mask);
        while (contexts[gap] != null && ids[gap] != id) gap = (gap + 1) & mask;
        MatchContext c = contexts[gap];
        if (c == null) return true;
        if (!c.isEmpty()) return false;
        used--;
        // linear probing: fill the gap with later entries that hash to it or to a position before it
        int i = gap;
        for (contexts[gap] = null; contexts[i = (i + 1) & mask] != null; ) {
            if ((i - slot(ids[i], mask) & mask) < (i - gap & mask)) continue;
            ids[gap] = ids[i];
            contexts[gap] = contexts[i];
            contexts[i] = null;
            gap = i;
        }
        return true;
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
                if (c != null) put(oldIds[i], c);
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

    /// Returns the number of hash table slots.
    int slots() {
        return ids.length;
    }

    /// Passes every existing context to `visitor`.
    public void forEach(Visitor visitor) {
        for (int i = 0; i < ids.length; i++) {
            MatchContext c = contexts[i];
            if (c != null) visitor.visit(ids[i], c);
        }
    }

    /// Removes an arrival from the pool and returns it, or creates one.
    public Arrival take() {
        Arrival a = pool;
        if (a == null) return new Arrival();
        pooledBytes -= a.pooledBytes();
        pool = a.next;
        a.next = null;
        return a;
    }

    /// Adds an arrival that is no longer used to the pool, unless the pool is full.
    public void giveBack(Arrival a) {
        a.clean();
        if (pooledBytes + a.pooledBytes() > MOST_POOLED_BYTES) return;
        pooledBytes += a.pooledBytes();
        a.next = pool;
        pool = a;
    }
}
