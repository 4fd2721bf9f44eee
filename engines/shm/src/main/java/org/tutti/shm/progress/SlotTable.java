package org.tutti.shm.progress;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;

/// The ids of active messages to which the rank at the other end refers: long messages, and sends that wait for
/// an answer.
final class SlotTable {
    private @Nullable ShmTransfer[] slots = new @Nullable ShmTransfer[16];
    private int[] free = new int[16];
    private int freeCount;
    private int used;

    int add(ShmTransfer t) {
        int id = freeCount > 0 ? free[--freeCount] : used++;
        if (id == slots.length) slots = Arrays.copyOf(slots, 2 * id);
        slots[id] = t;
        return id;
    }

    ShmTransfer get(int id) {
        ShmTransfer t = id >= 0 && id < slots.length ? slots[id] : null;
        if (t == null) throw new IllegalStateException("no long message has number " + id);
        return t;
    }

    void forEach(Consumer<? super ShmTransfer> action) {
        for (int id = 0; id < used; id++) {
            ShmTransfer t = slots[id];
            if (t != null) action.accept(t);
        }
    }

    /// Removes and fails the messages that `which` selects.
    void failAll(Predicate<ShmTransfer> which, RankDeath death) {
        for (int id = 0; id < used; id++) {
            ShmTransfer t = slots[id];
            if (t != null && which.test(t)) death.fail(remove(id));
        }
    }

    ShmTransfer remove(int id) {
        ShmTransfer t = get(id);
        slots[id] = null;
        if (freeCount == free.length) free = Arrays.copyOf(free, 2 * freeCount);
        free[freeCount++] = id;
        return t;
    }
}
