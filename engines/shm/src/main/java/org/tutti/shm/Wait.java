package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.spi.Activity;
import org.tutti.spi.LocalWait;

/// The wait of a thread of this rank: for one activity, for one of several, for a message that matches a
/// pattern, or for an action of other threads. Each thread has one such object, and reuses it.
final class Wait {
    private static final Activity[] NONE = {};

    final Thread thread = Thread.currentThread();

    final IdleStrategy.Pace pace = new IdleStrategy.Pace();

    @Nullable
    Activity one;

    Activity[] any = NONE;
    int count;

    @Nullable
    ShmTransfer pattern;

    @Nullable
    LocalWait local;

    /// For a wait with a pattern: whether to reserve the message. `found` states whether a message was found.
    boolean take;

    boolean found;

    boolean isInUse;

    /// The time of the first attempt to sleep since waits have been reported; 0 if there was none.
    long sinceNanos;

    /// The number of attempts to sleep. `shortSleeps` is the number of short sleeps, if the thread cannot be
    /// woken.
    int sleeps;

    int shortSleeps;

    /// See [org.tutti.spi.WaitInsight#polls]. Accessed under the lock during the wait.
    long polls;

    long polledNanos;

    /// For a virtual thread: whether the wait must be checked. `thrown` is a failure of the platform thread
    /// that waited on behalf of the virtual thread.
    volatile boolean isWoken;

    volatile @Nullable Throwable thrown;

    void begin() {
        isInUse = true;
        found = false;
        sinceNanos = 0;
        sleeps = 0;
        shortSleeps = 0;
        polls = 0;
        thrown = null;
    }

    void end() {
        one = null;
        any = NONE;
        count = 0;
        pattern = null;
        local = null;
        isInUse = false;
    }

    /// Returns whether the wait is for a message on a communicator on which threads wait for work.
    boolean isForWork() {
        Activity message = one != null ? one : pattern;
        return message != null && message.port().isIdle();
    }

    /// Returns whether the wait is over, as far as visible without the lock. For a pattern, returns whether the
    /// most recent check found a message.
    boolean isOver() {
        Activity a = one;
        if (a != null) return a.isDone();
        LocalWait l = local;
        if (l != null) return l.isOver();
        return found || firstDone() >= 0;
    }

    /// Returns the index of a completed activity, or -1.
    int firstDone() {
        for (int i = 0; i < count; i++) if (any[i].isDone()) return i;
        return -1;
    }

    /// Returns whether only the thread itself can make progress: other threads must not access the memory, or
    /// cannot see the end of the wait.
    boolean needsItsThread() {
        if (local != null || one != null && isOwned(one)) return true;
        for (int i = 0; i < count; i++) if (isOwned(any[i])) return true;
        return false;
    }

    /// Returns whether only an action of another thread of this rank can end the wait. Such an action does not
    /// wake the waiting thread, which therefore polls.
    boolean isLocalToRank() {
        LocalWait l = local;
        return l != null && l.awaited() == null;
    }

    private static boolean isOwned(Activity activity) {
        return switch (activity.family) {
            case TRANSFER -> ((ShmTransfer) activity).owner != null;
            case COLLECTIVE -> ((ShmCollective) activity).isOwned();
        };
    }
}
