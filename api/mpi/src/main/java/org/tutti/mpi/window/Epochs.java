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

/// The open epochs of a window on this rank, which determine the permitted calls (MPI 4.1, section 12.5). A
/// check returns the reason to reject a call; null if the call is permitted. Several threads may access and
/// lock concurrently; any other call may be executed by only one thread at a time.
///
/// A fence opens an epoch only if accesses follow before the next fence. An epoch of any other kind may
/// therefore be opened after a fence that no access has followed.
public final class Epochs {
    /// The possible states of this rank at a target, or at all targets: it has no lock, it is acquiring or
    /// releasing a lock, or it holds a lock.
    private static final int NOTHING = 0, CHANGING = 1, LOCKED = 2;

    private static final int[] NO_RANKS = {};

    private final CommPort port;
    private final AtomicIntegerArray locks;
    private final AtomicInteger all = new AtomicInteger();
    private volatile boolean isFenced;

    /// Whether accesses have occurred since the last fence, so that an epoch is open.
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

    /// Checks an access to `target`.
    public @Nullable Fault access(String operation, int target) {
        if (isOpenWithoutFence(target) || isFenced) return null;
        return refused(
                operation,
                "no epoch is open at rank " + target + open() + "; call fence(), lock(" + target
                        + "), lockAll() or start(group) first");
    }

    /// Returns whether an epoch is open that was not opened by a fence.
    private boolean isOpenWithoutFence(int target) {
        return isLockedAll() || locks.getAcquire(target) == LOCKED || has(started, target);
    }

    /// Records a permitted access.
    public void accesses(int target) {
        if (isFenced && !isAccessed && !isOpenWithoutFence(target)) isAccessed = true;
    }

    /// Checks a call that requires a passive epoch at `target`.
    public @Nullable Fault passive(String operation, int target) {
        if (isLockedAll() || locks.getAcquire(target) == LOCKED) return null;
        return refused(
                operation,
                "no passive epoch is open at rank " + target + open() + "; call lock(" + target
                        + ") or lockAll() first");
    }

    /// Checks a call that requires a passive epoch at any target.
    public @Nullable Fault passive(String operation) {
        if (isLockedAll() || locked().length > 0) return null;
        return refused(operation, "no passive epoch is open" + open() + "; call lock(target) or lockAll() first");
    }

    // ---- passive target

    /// Checks and starts the acquisition of the lock at `target`.
    public @Nullable Fault locks(String operation, int target) {
        Fault fence = inFence(operation);
        if (fence != null) return fence;
        if (all.get() != NOTHING || has(started, target) || !locks.compareAndSet(target, NOTHING, CHANGING)) {
            return refused(operation, "an epoch at rank " + target + " is open already" + open() + adviceToEnd(target));
        }
        // check again: if two threads execute this code concurrently, at least one of the two sees the state
        // that the other has set
        if (all.get() != NOTHING) {
            locks.set(target, NOTHING);
            return refused(operation, "another thread of this rank is in lockAll()");
        }
        isFenced = false;
        return null;
    }

    /// Completes the acquisition.
    public void locked(int target) {
        locks.setRelease(target, LOCKED);
    }

    /// Checks and starts the release of the lock at `target`.
    public @Nullable Fault unlocks(String operation, int target) {
        if (locks.compareAndSet(target, LOCKED, CHANGING)) return null;
        return refused(operation, "rank " + target + " is not locked by lock(" + target + ")" + open());
    }

    /// Completes the release of the lock at `target`. Before this call, no thread can acquire that lock again.
    public void unlocked(int target) {
        locks.setRelease(target, NOTHING);
    }

    /// Checks and starts the acquisition of all locks.
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

    /// Completes the acquisition.
    public void lockedAll() {
        all.set(LOCKED);
    }

    /// Checks and starts the release of all locks.
    public @Nullable Fault unlocksAll() {
        if (all.compareAndSet(LOCKED, CHANGING)) return null;
        return refused("unlockAll", "lockAll() was not called" + open());
    }

    /// Completes the release.
    public void unlockedAll() {
        all.set(NOTHING);
    }

    // ---- active target

    /// Checks and records a fence.
    ///
    /// @param precedes whether accesses may have occurred since the last fence
    /// @param succeeds whether the fence opens an epoch
    public @Nullable Fault fences(boolean precedes, boolean succeeds) {
        Fault another = another("fence", true);
        if (another != null) return another;
        if (!precedes && isAccessed) {
            return refused("fence", "NOPRECEDE was passed, but there were accesses since the last fence");
        }
        isFenced = succeeds;
        isAccessed = false;
        return null;
    }

    /// Checks and starts an access epoch at `targets`.
    public @Nullable Fault starts(int[] targets) {
        Fault fence = inFence("start");
        if (fence != null) return fence;
        Fault another = another("start", false);
        if (another != null) return another;
        isFenced = false;
        started = targets;
        return null;
    }

    /// Checks that an epoch of `start` is open.
    public @Nullable Fault completes() {
        return started == null ? refused("complete", "start(group) was not called" + open()) : null;
    }

    /// Returns the targets of the started epoch.
    public int[] targets() {
        int[] targets = started;
        return targets == null ? NO_RANKS : targets;
    }

    public void completed() {
        started = null;
    }

    /// Checks and starts an exposure epoch for `origins`.
    public @Nullable Fault posts(int[] origins) {
        if (posted != null) return refused("post", "an exposure is open already" + open() + "; call await() first");
        Fault fence = inFence("post");
        if (fence != null) return fence;
        isFenced = false;
        posted = origins;
        return null;
    }

    /// Checks that `operation` may end an exposure epoch.
    public @Nullable Fault exposed(String operation) {
        return posted == null ? refused(operation, "post(group) was not called" + open()) : null;
    }

    /// Returns the origins of the exposure epoch.
    public int[] origins() {
        int[] origins = posted;
        return origins == null ? NO_RANKS : origins;
    }

    public void unposted() {
        posted = null;
    }

    // ---- open epochs

    /// Checks that this rank can close the window: no epoch of a lock, `start` or `post` is open, and no access
    /// followed the last fence.
    public @Nullable Fault closes(String operation) {
        if (isAccessed) {
            return refused(operation, "there were accesses since the last fence; call fence() first");
        }
        return another(operation, true);
    }

    private @Nullable Fault inFence(String operation) {
        if (!isFenced || !isAccessed) return null;
        return refused(operation, "the epoch of a fence is open, because accesses followed it; call fence() first");
    }

    private @Nullable Fault another(String operation, boolean exposures) {
        if (all.get() == NOTHING && started == null && locked().length == 0 && !(exposures && posted != null))
            return null;
        return refused(operation, "an epoch is open" + open() + adviceToEndAll(exposures));
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

    /// Describes the open epochs, for example as `; open: lockAll` or `; open: lock at 1, 2 and post to 0`;
    /// returns an empty string if no epoch is open.
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

    /// Returns the advice to call the method that ends the epoch at `target`, for example `; call unlock(1)
    /// first`.
    private String adviceToEnd(int target) {
        String call =
                all.get() != NOTHING ? "unlockAll()" : has(started, target) ? "complete()" : "unlock(" + target + ")";
        return "; call " + call + " first";
    }

    /// Returns the advice to call the methods that end all open epochs, for example `; call unlock(1) and
    /// await() first`.
    private String adviceToEndAll(boolean exposures) {
        List<String> calls = new ArrayList<>();
        if (all.get() != NOTHING) calls.add("unlockAll()");
        int[] locked = locked();
        if (locked.length == 1) calls.add("unlock(" + locked[0] + ")");
        if (locked.length > 1) calls.add("unlock(target) for each");
        if (started != null) calls.add("complete()");
        if (exposures && posted != null) calls.add("await()");
        return calls.isEmpty() ? "" : "; call " + String.join(" and ", calls) + " first";
    }

    private static String list(int[] ranks) {
        return Arrays.stream(ranks).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }

    private Fault refused(String operation, String why) {
        return Fault.argument(PredefinedErrorClass.ERR_RMA_SYNC, operation, why, port);
    }
}
