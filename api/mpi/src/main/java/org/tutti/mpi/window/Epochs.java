package org.tutti.mpi.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Which epochs of a window are open on this rank, and so what may be called (MPI 4.1, section 12.5). Methods
/// return what is to be said against a call, and null when it may be made. Threads may access and lock at the same
/// time; the other calls are made by one at a time.
///
/// A fence opens an epoch only if there are accesses before the next one, so what else opens an epoch may follow a
/// fence.
public final class Epochs {
    /// What this rank has at a target, or at all: nothing, a lock that is being asked for or given back, a lock.
    private static final int NOTHING = 0, CHANGING = 1, LOCKED = 2;

    private static final int[] NOBODY = {};

    private final CommPort port;
    private final AtomicIntegerArray locks;
    private final AtomicInteger all = new AtomicInteger();
    private volatile boolean isFenced;

    /// Since the last fence, which opened an epoch by it.
    private volatile boolean isAccessed;

    private volatile int @Nullable [] started;
    private volatile int @Nullable [] posted;

    public Epochs(CommPort port) {
        this.port = port;
        locks = new AtomicIntegerArray(port.size());
    }

    private boolean isLockedAll() {
        return all.get() == LOCKED;
    }

    // ---- accesses

    /// An access to `target` is to be made.
    public @Nullable Fault access(String operation, int target) {
        if (isOpenAlone(target) || isFenced) return null;
        return refused(
                operation,
                "no epoch is open at rank " + target + open() + "; call fence(), lock(" + target
                        + "), lockAll() or start(group) before");
    }

    /// Whether an epoch is open there that is none of a fence.
    private boolean isOpenAlone(int target) {
        return isLockedAll() || locks.getAcquire(target) == LOCKED || has(started, target);
    }

    /// It is made: nothing was wrong with it.
    public void accesses(int target) {
        if (isFenced && !isAccessed && !isOpenAlone(target)) isAccessed = true;
    }

    /// What only a passive epoch at `target` has.
    public @Nullable Fault passive(String operation, int target) {
        if (isLockedAll() || locks.getAcquire(target) == LOCKED) return null;
        return refused(
                operation,
                "no passive epoch is open at rank " + target + open() + "; call lock(" + target
                        + ") or lockAll() before");
    }

    /// The same at any target.
    public @Nullable Fault passive(String operation) {
        if (isLockedAll() || locked().length > 0) return null;
        return refused(operation, "no passive epoch is open" + open() + "; call lock(target) or lockAll() before");
    }

    // ---- passive target

    /// The lock of `target` is about to be asked for, unless it is refused.
    public @Nullable Fault locks(String operation, int target) {
        Fault fence = inFence(operation);
        if (fence != null) return fence;
        if (all.get() != NOTHING || has(started, target) || !locks.compareAndSet(target, NOTHING, CHANGING)) {
            return refused(operation, "an epoch at rank " + target + " is open already" + open() + endedAt(target));
        }
        // once more: of two threads at a time one sees what the other one has begun
        if (all.get() != NOTHING) {
            locks.set(target, NOTHING);
            return refused(operation, "another thread of this rank is in lockAll()");
        }
        isFenced = false;
        return null;
    }

    /// It is there.
    public void locked(int target) {
        locks.setRelease(target, LOCKED);
    }

    /// The lock of `target` is about to be given back, unless it is refused.
    public @Nullable Fault unlocks(String operation, int target) {
        if (locks.compareAndSet(target, LOCKED, CHANGING)) return null;
        return refused(operation, "rank " + target + " is not locked by lock(" + target + ")" + open());
    }

    /// It is given back: only now another thread may ask for it.
    public void unlocked(int target) {
        locks.setRelease(target, NOTHING);
    }

    /// All locks are about to be asked for, unless it is refused.
    public @Nullable Fault locksAll() {
        Fault fence = inFence("lockAll");
        if (fence != null) return fence;
        Fault another = another("lockAll", false);
        if (another == null && !all.compareAndSet(NOTHING, CHANGING))
            another = refused("lockAll", "another thread of this rank is in lockAll()");
        if (another == null && locked().length > 0) {
            all.set(NOTHING);
            another = refused("lockAll", "another thread of this rank is in lock(target)");
        }
        if (another == null) isFenced = false;
        return another;
    }

    /// They are there.
    public void lockedAll() {
        all.set(LOCKED);
    }

    /// They are about to be given back, unless it is refused.
    public @Nullable Fault unlocksAll() {
        if (all.compareAndSet(LOCKED, CHANGING)) return null;
        return refused("unlockAll", "lockAll() was not called" + open());
    }

    /// They are given back.
    public void unlockedAll() {
        all.set(NOTHING);
    }

    // ---- active target

    /// A fence is about to be made, unless it is refused.
    ///
    /// @param precedes whether accesses may have been made since the last one
    /// @param succeeds whether it opens an epoch
    public @Nullable Fault fences(boolean precedes, boolean succeeds) {
        Fault another = another("fence", true);
        if (another != null) return another;
        if (!precedes && isAccessed) {
            return refused("fence", "NOPRECEDE says that there was no access since the last fence, and there was one");
        }
        isFenced = succeeds;
        isAccessed = false;
        return null;
    }

    /// An epoch at `targets` is about to begin, unless it is refused.
    public @Nullable Fault starts(int[] targets) {
        Fault fence = inFence("start");
        if (fence != null) return fence;
        Fault another = another("start", false);
        if (another != null) return another;
        isFenced = false;
        started = targets;
        return null;
    }

    /// Whether there is one to be completed.
    public @Nullable Fault completes() {
        return started == null ? refused("complete", "start(group) was not called" + open()) : null;
    }

    /// Those of the epoch that began by a start.
    public int[] targets() {
        int[] targets = started;
        return targets == null ? NOBODY : targets;
    }

    public void completed() {
        started = null;
    }

    /// An exposure to `origins` is about to begin, unless it is refused.
    public @Nullable Fault posts(int[] origins) {
        if (posted != null) return refused("post", "an exposure is open already" + open() + "; call await() before");
        Fault fence = inFence("post");
        if (fence != null) return fence;
        isFenced = false;
        posted = origins;
        return null;
    }

    /// Whether there is one that `operation` may end.
    public @Nullable Fault exposed(String operation) {
        return posted == null ? refused(operation, "post(group) was not called" + open()) : null;
    }

    /// Those of the exposure.
    public int[] origins() {
        int[] origins = posted;
        return origins == null ? NOBODY : origins;
    }

    public void unposted() {
        posted = null;
    }

    // ---- what is open

    /// Whether something of this rank's is open that others wait for, or that has accesses under way.
    public @Nullable Fault closes(String operation) {
        if (isAccessed) {
            return refused(operation, "there were accesses since the last fence; call fence() before");
        }
        return another(operation, true);
    }

    private @Nullable Fault inFence(String operation) {
        if (!isFenced || !isAccessed) return null;
        return refused(operation, "the epoch of a fence is open, for there were accesses since; call fence() before");
    }

    private @Nullable Fault another(String operation, boolean exposures) {
        if (all.get() == NOTHING && started == null && locked().length == 0 && !(exposures && posted != null))
            return null;
        return refused(operation, "an epoch is open" + open() + ended(exposures));
    }

    private int[] locked() {
        return IntStream.range(0, locks.length())
                .filter(r -> locks.get(r) != NOTHING)
                .toArray();
    }

    private static boolean has(int @Nullable [] ranks, int rank) {
        if (ranks == null) return false;
        for (int r : ranks) if (r == rank) return true;
        return false;
    }

    /// `; open: lockAll`, `; open: lock at 1, 2 and post to 0`; empty when nothing is.
    private String open() {
        List<String> open = new ArrayList<>();
        if (all.get() != NOTHING) open.add("lockAll");
        int[] locked = locked();
        if (locked.length > 0) open.add("lock at " + list(locked));
        int[] targets = started;
        if (targets != null) open.add("start at " + list(targets));
        int[] origins = posted;
        if (origins != null) open.add("post to " + list(origins));
        if (isFenced && isAccessed) open.add("fence");
        return open.isEmpty() ? "" : "; open: " + String.join(" and ", open);
    }

    /// `; call unlock(1) before`: what ends the epoch that is open at `target`.
    private String endedAt(int target) {
        String call =
                all.get() != NOTHING ? "unlockAll()" : has(started, target) ? "complete()" : "unlock(" + target + ")";
        return "; call " + call + " before";
    }

    /// `; call unlock(1) and await() before`: what ends the epochs that are open.
    private String ended(boolean exposures) {
        List<String> calls = new ArrayList<>();
        if (all.get() != NOTHING) calls.add("unlockAll()");
        int[] locked = locked();
        if (locked.length == 1) calls.add("unlock(" + locked[0] + ")");
        if (locked.length > 1) calls.add("unlock(target) for each of them");
        if (started != null) calls.add("complete()");
        if (exposures && posted != null) calls.add("await()");
        return calls.isEmpty() ? "" : "; call " + String.join(" and ", calls) + " before";
    }

    private static String list(int[] ranks) {
        return Arrays.stream(ranks).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }

    private Fault refused(String operation, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_RMA_SYNC, operation, why, port);
    }
}
