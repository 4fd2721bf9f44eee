package org.tutti.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Fault;

/// Waits of virtual threads. A waiting virtual thread parks, so its carrier is free. One platform thread waits
/// for all virtual threads, in the same way as any other thread of the rank waits, and wakes each virtual
/// thread when its wait ends. The platform thread is started for the first wait, and ends after a time without
/// waits.
final class VirtualWaits implements Runnable {
    private static final long REST_MILLIS = 1_000;

    /// Thousands of threads may wait, so not every round checks all waits: they are checked after progress, and
    /// once in this number of rounds without progress.
    private static final int CHECK_ROUNDS = 64;

    private final WaitLoop loop;
    private final IdleStrategy idle;

    /// A thread that checks a wait holds the wait's monitor and first verifies that the wait is still in this
    /// set, because the waiting thread reuses the wait after removal.
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

    private final IdleStrategy.Pace pace = new IdleStrategy.Pace();

    /// The value of [WaitLoop#moves] at the last check of all waits.
    private long movesSeen;

    /// Whether the platform thread exists and is not resting. Written under this object's monitor.
    private volatile boolean isAwake;

    private @Nullable Thread waker;

    VirtualWaits(WaitLoop loop, IdleStrategy idle) {
        this.loop = loop;
        this.idle = idle;
    }

    /// Parks the calling thread until the wait must be checked. Returns whether it was interrupted.
    boolean await(Wait w) {
        w.isWoken = false;
        boolean interrupted = false;
        try {
            waiting.add(w);
            if (!isAwake) awaken();
            loop.wakeForNewWait();
            // there may have been progress before the wait was added to the set
            if (isReady(w)) return false;
            while (!w.isWoken) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
        } finally {
            synchronized (w) {
                waiting.remove(w);
            }
        }
        Throwable thrown = w.thrown;
        w.thrown = null;
        if (thrown instanceof RuntimeException e) throw e;
        if (thrown instanceof Error e) throw e;
        return interrupted;
    }

    private synchronized void awaken() {
        if (waker == null) {
            Thread thread = new Thread(null, this, "tutti-shm-waker", 0, false);
            thread.setDaemon(true);
            thread.start();
            waker = thread;
        }
        isAwake = true;
        notifyAll();
    }

    @Override
    public void run() {
        int round = 0;
        while (!waiting.isEmpty() || rest()) {
            try {
                if (loop.hasSomething() && loop.moveOnce(null)) round = 0;
                // a different thread of the rank may have moved or received a message of this rank
                long moves = loop.moves();
                if ((moves != movesSeen || round % CHECK_ROUNDS == 0) && wakeReady()) round = 0;
                movesSeen = moves;
                if (idle.pause(round++, pace) && maySleep()) loop.sleep(null, this);
            } catch (Throwable t) { // concerns messages of the waiting threads: one thread throws it
                hand(t);
            }
        }
    }

    /// Rests until there are waits again, and then returns true. Returns false if the thread should end.
    private synchronized boolean rest() {
        isAwake = false;
        try {
            // a wait that was added before this check is visible here; the later addition of a wait calls
            // awaken()
            if (waiting.isEmpty()) wait(REST_MILLIS);
        } catch (InterruptedException e) {
            // all threads are being terminated; a virtual thread that still waits starts a new platform thread
        }
        // a virtual thread that adds a wait after this check finds no thread awake, and blocks in awaken()
        // until this method returns
        isAwake = false;
        isAwake = waiting.iterator().hasNext();
        if (!isAwake) waker = null;
        return isAwake;
    }

    /// Returns whether the wait must be checked. Called by the waiting thread, or with the wait's monitor held.
    private boolean isReady(Wait w) {
        ShmTransfer pattern = w.pattern;
        return loop.hasFailed() || (pattern == null ? w.isOver() : loop.mayMatch(pattern));
    }

    /// Returns whether some waiting virtual thread must be woken.
    boolean isAnyReady() {
        for (Wait w : waiting) {
            synchronized (w) {
                if (waiting.contains(w) && isReady(w)) return true;
            }
        }
        return false;
    }

    private boolean wakeReady() {
        boolean any = false;
        for (Wait w : waiting) {
            synchronized (w) {
                if (!waiting.contains(w) || !isReady(w)) continue;
                any = true;
                wake(w);
            }
        }
        return any;
    }

    /// Wakes the waiting thread. Called with the wait's monitor held.
    private void wake(Wait w) {
        waiting.remove(w);
        w.isWoken = true;
        LockSupport.unpark(w.thread);
    }

    /// Returns whether the platform thread may sleep: executes, for each wait, the checks that [WaitLoop]
    /// executes before a sleep.
    private boolean maySleep() {
        List<Wait> due = new ArrayList<>();
        for (Wait w : waiting) {
            synchronized (w) {
                if (!waiting.contains(w)) continue;
                Fault never = loop.unreachable(w);
                Fault death = isReady(w) ? null : loop.rankDeath(w);
                if (death != null) {
                    w.thrown = death;
                    wake(w);
                    continue;
                }
                if (never != null && !isReady(w)) loop.fail(never);
                loop.giveNotice(w);
                if (loop.isPollDue(w)) due.add(w);
            }
        }
        for (Wait w : due) {
            synchronized (w) {
                if (waiting.contains(w) && !loop.pollAgain(w)) return false;
            }
        }
        return true;
    }

    private void hand(Throwable t) {
        for (Wait w : waiting) {
            synchronized (w) {
                if (!waiting.contains(w)) continue;
                w.thrown = t;
                wake(w);
                return;
            }
        }
    }
}
