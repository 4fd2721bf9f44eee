package org.tutti.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Fault;

/// The waits of virtual threads. These park, so that their carriers are free; one platform thread waits in
/// their stead, as any thread of the rank does, and wakes each when what it waits for is there. It is started for the
/// first of them, and ends when nobody has waited for a while.
final class VirtualWaits implements Runnable {
    private static final long REST_MILLIS = 1_000;

    /// Thousands may wait, so they are looked at when something has moved, and else in every so many-th round.
    private static final int LOOK_ROUNDS = 64;

    private final WaitLoop loop;
    private final IdleStrategy idle;

    /// Whoever looks at one of them holds its monitor, and looks whether it is still in here: its thread uses it for
    /// another wait as soon as it has left.
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

    private final IdleStrategy.Pace pace = new IdleStrategy.Pace();

    /// [WaitLoop#moves] when all were looked at last.
    private long movesSeen;

    /// Whether there is the thread, and it does not rest; under this object's monitor where it is written.
    private volatile boolean isAwake;

    private @Nullable Thread waker;

    VirtualWaits(WaitLoop loop, IdleStrategy idle) {
        this.loop = loop;
        this.idle = idle;
    }

    /// Parks the calling thread until it is to look for itself. Returns whether it was interrupted.
    boolean await(Wait w) {
        w.isWoken = false;
        boolean interrupted = false;
        try {
            waiting.add(w);
            if (!isAwake) awaken();
            loop.wakeForNewWait();
            // what was done until it was among those that are woken
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
                // another thread of the rank may have moved something, or received a message of this very rank
                long moves = loop.moves();
                if ((moves != movesSeen || round % LOOK_ROUNDS == 0) && wakeReady()) round = 0;
                movesSeen = moves;
                if (idle.pause(round++, pace) && mayStillCome()) loop.sleep(null, this);
            } catch (Throwable t) { // it is of messages of the threads that wait: one of them throws it
                hand(t);
            }
        }
    }

    /// Whether there is somebody again; when not, the thread ends.
    private synchronized boolean rest() {
        isAwake = false;
        try {
            // who came before this is seen, who comes after it awakens
            if (waiting.isEmpty()) wait(REST_MILLIS);
        } catch (InterruptedException e) {
            // somebody ends all threads; whoever still waits starts another one
        }
        // a wait that begins after the look finds no thread awake, and blocks in `awaken` until this returns
        isAwake = false;
        isAwake = waiting.iterator().hasNext();
        if (!isAwake) waker = null;
        return isAwake;
    }

    /// By its own thread, or with its monitor.
    private boolean isReady(Wait w) {
        ShmTransfer pattern = w.pattern;
        return loop.hasFailed() || (pattern == null ? w.isOver() : loop.mayMatch(pattern));
    }

    /// Whether there is a thread to be woken.
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

    /// With its monitor.
    private void wake(Wait w) {
        waiting.remove(w);
        w.isWoken = true;
        LockSupport.unpark(w.thread);
    }

    /// As [WaitLoop] does for a thread that is about to sleep, for all of them.
    private boolean mayStillCome() {
        List<Wait> due = new ArrayList<>();
        for (Wait w : waiting) {
            synchronized (w) {
                if (!waiting.contains(w)) continue;
                Fault never = loop.hopeless(w);
                Fault loss = isReady(w) ? null : loop.loss(w);
                if (loss != null) {
                    w.thrown = loss;
                    wake(w);
                    continue;
                }
                if (never != null && !isReady(w)) loop.fail(never);
                loop.giveNotice(w);
                if (loop.isLookDue(w)) due.add(w);
            }
        }
        for (Wait w : due) {
            synchronized (w) {
                if (waiting.contains(w) && !loop.lookAgain(w)) return false;
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
