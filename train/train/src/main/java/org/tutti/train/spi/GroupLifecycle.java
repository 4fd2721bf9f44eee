package org.tutti.train.spi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// Notifies the library that a process group closes.
public final class GroupLifecycle {
    private static final List<Consumer<Object>> LISTENERS = new CopyOnWriteArrayList<>();

    private GroupLifecycle() {}

    /// Called by a process group at the beginning of `close`, while the memory returned by `allocate` is still
    /// valid. Data of the library in this memory, such as a model's gradients, is then moved to other memory.
    public static void closing(Object group) {
        for (Consumer<Object> listener : LISTENERS) listener.accept(group);
    }

    /// Calls `listener` with each group that closes. Called by the library.
    public static void onClosing(Consumer<Object> listener) {
        LISTENERS.add(listener);
    }
}
