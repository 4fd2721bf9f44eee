package org.tutti.shm.match;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A FIFO queue of messages, linked through the messages.
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

    /// Adds a message at the head again, from which it has just been removed.
    public void addFirst(ShmTransfer t) {
        t.next = first;
        first = t;
        if (last == null) last = t;
    }

    /// Removes the first message.
    public void remove() {
        ShmTransfer t = first;
        if (t == null) return;
        first = t.next;
        if (first == null) last = null;
        t.next = null;
    }
}
