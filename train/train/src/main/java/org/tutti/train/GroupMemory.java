package org.tutti.train;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.train.spi.GroupLifecycle;

/// Memory of a group, used by a single owner until it is freed. The memory of unreachable owners is freed when
/// the next object of this class is created for the same group: the thread that creates it may call the group,
/// and the thread of a `Cleaner` may not.
final class GroupMemory extends PhantomReference<Object> {
    private static final Logger LOG = System.getLogger("org.tutti.train");
    private static final ReferenceQueue<Object> DROPPED = new ReferenceQueue<>();
    private static final Set<GroupMemory> IN_USE = ConcurrentHashMap.newKeySet();
    private static final Set<GroupMemory> LEFT = ConcurrentHashMap.newKeySet();

    /// The group. The reference is weak, because the memory of an unreachable group is freed with the group.
    private final WeakReference<ProcessGroup> group;

    private final List<MemorySegment> parts = new ArrayList<>();
    private final List<Runnable> beforeFree = new ArrayList<>();

    static {
        GroupLifecycle.onClosing(GroupMemory::end);
    }

    private volatile boolean isOver;

    /// Whether an operation that uses the memory may still be in progress.
    private boolean isBusy;

    GroupMemory(Object owner, ProcessGroup group) {
        super(owner, DROPPED);
        this.group = new WeakReference<>(group);
        freeDropped(group);
        IN_USE.add(this);
    }

    private static void freeDropped(ProcessGroup group) {
        for (Object o = DROPPED.poll(); o != null; o = DROPPED.poll()) {
            if (IN_USE.remove((GroupMemory) o)) LEFT.add((GroupMemory) o);
        }
        for (GroupMemory m : LEFT) {
            boolean isOver = m.group.refersTo(null);
            if (!isOver && !m.group.refersTo(group) || !LEFT.remove(m)) continue;
            try {
                m.free();
            } catch (RuntimeException e) { // the other model may be closed
                LOG.log(Level.WARNING, "gradients of an unreachable model remain in the group's memory", e);
            }
        }
    }

    /// Allocates zeroed memory.
    MemorySegment allocate(long bytes) {
        MemorySegment made = Objects.requireNonNull(group.get()).allocate(bytes);
        parts.add(made);
        return made;
    }

    /// Runs `action` before the memory is freed or the group ends. The action must not refer to the owner.
    void beforeFree(Runnable action) {
        beforeFree.add(action);
    }

    /// Runs the actions of [#beforeFree] for all memory of a group that is about to close.
    static void end(Object group) {
        List<Runnable> ends = new ArrayList<>();
        for (Set<GroupMemory> some : List.of(IN_USE, LEFT)) {
            for (GroupMemory m : some) if (m.isOf(group) && some.remove(m)) ends.add(m::leave);
        }
        runAll(ends);
    }

    private boolean isOf(Object other) {
        return other instanceof ProcessGroup g && group.refersTo(g);
    }

    /// Returns whether the memory was freed, or the group has ended.
    boolean isOver() {
        return isOver;
    }

    private void leave() {
        isOver = true;
        List<Runnable> actions = List.copyOf(beforeFree);
        beforeFree.clear();
        runAll(actions);
    }

    /// Runs all actions, then throws the first exception, with the remaining ones suppressed.
    private static void runAll(List<Runnable> actions) {
        RuntimeException first = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException e) {
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
    }

    /// Sets whether other ranks may still access the memory. While access is possible, the memory is not freed
    /// before the group ends.
    void busy(boolean now) {
        isBusy = now;
    }

    void close() {
        if (IN_USE.remove(this)) free();
    }

    private void free() {
        leave(); // if this throws, gradients may still be in the memory, so it is not freed
        ProcessGroup of = group.get();
        if (of != null && !isBusy) parts.forEach(of::free);
        parts.clear();
    }
}
