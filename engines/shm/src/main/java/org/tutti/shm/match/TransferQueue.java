package org.tutti.shm.match;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Messages in order, through the messages themselves.
public final class TransferQueue {
    private @Nullable ShmTransfer first;
    private @Nullable ShmTransfer last;

    public boolean isEmpty() {
        return first == null;
    }

    public @Nullable ShmTransfer peek() {
        return first;
    }

    public void forEach(Consumer<? super ShmTransfer> action) {
        for (ShmTransfer t = first; t != null; t = t.next) action.accept(t);
    }

    public void add(ShmTransfer t) {
        t.next = null;
        if (last == null) first = t;
        else last.next = t;
        last = t;
    }

    /// Puts one back that was just taken out.
    public void addFirst(ShmTransfer t) {
        t.next = first;
        first = t;
        if (last == null) last = t;
    }

    /// Takes the first one out.
    public void remove() {
        ShmTransfer t = first;
        if (t == null) return;
        first = t.next;
        if (first == null) last = null;
        t.next = null;
    }
}
