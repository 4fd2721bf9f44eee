package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Memory that one owner has of a group, until it gives it back. What owners forget that were dropped, the
/// next one gives back that begins in the same group: on a thread that may call it, which a cleaner's is not.
final class GroupMemory extends PhantomReference<Object> {
    private static final ReferenceQueue<Object> DROPPED = new ReferenceQueue<>();
    private static final Set<GroupMemory> IN_USE = ConcurrentHashMap.newKeySet();
    private static final Set<GroupMemory> LEFT = ConcurrentHashMap.newKeySet();

    private final ProcessGroup group;
    private final List<MemorySegment> parts = new ArrayList<>();

    /// Something was under way in it that may not be over.
    private boolean isBusy;

    GroupMemory(Object owner, ProcessGroup group) {
        super(owner, DROPPED);
        this.group = group;
        freeDropped(group);
        IN_USE.add(this);
    }

    private static void freeDropped(ProcessGroup group) {
        for (Object o = DROPPED.poll(); o != null; o = DROPPED.poll()) {
            if (IN_USE.remove((GroupMemory) o)) LEFT.add((GroupMemory) o);
        }
        for (GroupMemory m : LEFT) {
            if (m.group == group && LEFT.remove(m)) m.free();
        }
    }

    /// Zeroed.
    MemorySegment allocate(long bytes) {
        MemorySegment made = group.allocate(bytes);
        parts.add(made);
        return made;
    }

    /// Whether others may still read and write it: then it is not given back before the group ends.
    void busy(boolean now) {
        isBusy = now;
    }

    void close() {
        if (IN_USE.remove(this)) free();
    }

    private void free() {
        if (!isBusy) parts.forEach(group::free);
        parts.clear();
    }
}
