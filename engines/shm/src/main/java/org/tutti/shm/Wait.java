package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.spi.Activity;
import org.tutti.spi.LocalWait;

/// What a thread of this rank waits for: one activity, one of several, a message that a pattern matches, or
/// something that other threads do. Each thread has one, and uses it again.
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

    /// Of a pattern: whether the message is to be taken; and whether there is one.
    boolean take;

    boolean found;

    boolean isInUse;

    /// When it was about to sleep first; 0 while it has not been.
    long sinceNanos;

    /// Times it was about to sleep; and to nap, where it cannot sleep.
    int sleeps;

    int naps;

    /// See [org.tutti.spi.WaitInsight#looks]; under the lock while it waits.
    long looks;

    long lookedNanos;

    /// Of a virtual thread: that it is to look for itself, and what was thrown while another one looked.
    volatile boolean isWoken;

    volatile @Nullable Throwable thrown;

    void begin() {
        isInUse = true;
        found = false;
        sinceNanos = 0;
        sleeps = 0;
        naps = 0;
        looks = 0;
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

    /// Whether it waits for a message of a communicator on which messages are work.
    boolean isForWork() {
        Activity message = one != null ? one : pattern;
        return message != null && message.port().isIdle();
    }

    /// Whether what it waits for is there, as far as that is seen without the lock: of a pattern, since the last look.
    boolean isOver() {
        Activity a = one;
        if (a != null) return a.isDone();
        LocalWait l = local;
        if (l != null) return l.isOver();
        return found || firstDone() >= 0;
    }

    /// Which of several is done; -1 when none is.
    int firstDone() {
        for (int i = 0; i < count; i++) if (any[i].isDone()) return i;
        return -1;
    }

    /// Whether only its own thread can go on with it: others may not touch its memory, or do not know when it is
    /// over.
    boolean needsItsThread() {
        if (local != null || one != null && isOwned(one)) return true;
        for (int i = 0; i < count; i++) if (isOwned(any[i])) return true;
        return false;
    }

    /// Whether it is a wait for other threads of this rank, which wake nobody.
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
