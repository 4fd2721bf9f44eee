package org.tutti.shm;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.shm.segment.Bells;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.SleepStrategy;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitInsight;
import org.tutti.spi.type.ElementType;

/// The waits of this rank's threads. A waiting thread polls and advances messages, at first without pause, and
/// then sleeps until a rank wakes it. Virtual threads share one platform thread, which waits for all of them
/// ([VirtualWaits]).
final class WaitLoop implements WaitInsight {
    /// The initial maximum duration of a sleep. After this time, the thread checks the state of the job.
    private static final long SLEEP_NANOS = 100_000_000;

    /// The numbers of sleeps after which the maximum duration of a sleep increases: to [#LONG_SLEEP_NANOS]
    /// after the first number, and to [#IDLE_SLEEP_NANOS] after the second number if the thread waits for work.
    /// Other threads do not sleep for so long, because deadlock detection needs two polls per second.
    private static final int SLEEPS_BEFORE_LONG = 100, SLEEPS_BEFORE_IDLE = 20;
    private static final long LONG_SLEEP_NANOS = 300_000_000, IDLE_SLEEP_NANOS = 1_000_000_000;

    /// The duration of a sleep if the thread cannot be woken.
    private static final long SHORT_SLEEP_NANOS = 500_000;

    private static final long SHORT_SLEEPS_PER_SLEEP = SLEEP_NANOS / SHORT_SLEEP_NANOS;

    /// Maximum time the reporter waits for the progress lock.
    private static final long LOCK_MILLIS = 50;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// The minimum interval between two polls of a long wait that are counted for deadlock detection. It
    /// matters only while the thread's sleeps are shorter than this interval.
    private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(90);

    private final Progress progress;
    private final Bells bells;
    private final IdleStrategy idle;
    private final JobFailure failure;
    private final Peers peers;
    private final CallAnnouncements notices;
    private final ReentrantLock lock;
    private final int me;
    private final long mostUnreceived;
    private final ThreadLocal<Wait> waits = ThreadLocal.withInitial(Wait::new);
    private final VirtualWaits virtuals;

    /// Waits that have lasted for at least a second; the key is the thread.
    private final Map<Thread, Wait> longWaits = new ConcurrentHashMap<>();

    /// Whether [#polls] is in use.
    private volatile boolean isReported;

    /// The number of sleeping threads of this rank. Sleeping threads are woken when an activity may be
    /// complete.
    private volatile int sleeping;

    WaitLoop(
            Progress progress,
            Bells bells,
            IdleStrategy idle,
            JobFailure failure,
            Peers peers,
            CallAnnouncements notices,
            int me,
            long mostUnreceived) {
        this.progress = progress;
        this.bells = bells;
        this.idle = idle;
        this.failure = failure;
        this.peers = peers;
        this.notices = notices;
        this.me = me;
        this.mostUnreceived = mostUnreceived;
        lock = progress.lock();
        virtuals = new VirtualWaits(this, idle);
    }

    // ---- waits

    void await(Activity activity) {
        await(activity, 0);
    }

    /// @param polled the result of [#pollFor]
    void await(Activity activity, int polled) {
        if (activity.isDone()) return;
        Peers.checkOwner(activity);
        Wait w = begin();
        w.one = activity;
        run(w, polled);
    }

    int awaitAny(Activity[] activities, int count) {
        for (int i = 0; i < count; i++) if (activities[i].isDone()) return i;
        for (int i = 0; i < count; i++) Peers.checkOwner(activities[i]);
        Wait w = begin();
        w.any = activities;
        w.count = count;
        run(w, 0);
        for (int i = 0; i < count; i++) if (activities[i].isDone()) return i;
        throw new IllegalStateException("the wait is over but no activity is complete");
    }

    void await(LocalWait wait) {
        Wait w = begin();
        w.local = wait;
        run(w, 0);
    }

    /// See [org.tutti.spi.Engine#probe].
    boolean probe(ShmTransfer pattern, boolean wait, boolean take) {
        boolean found = poll(pattern, take);
        if (found || !wait) {
            if (!found) checkFailures();
            return found;
        }
        Wait w = begin();
        w.pattern = pattern;
        w.take = take;
        run(w, 0);
        return true;
    }

    private Wait begin() {
        Wait w = waits.get();
        // a nested call during a wait of the same thread
        if (w.isInUse) w = new Wait();
        w.begin();
        return w;
    }

    // ---- the loop

    /// @param polled the rounds already spent in [#pollFor]
    private void run(Wait w, int polled) {
        boolean interrupted = false;
        SleepStrategy sleeper = null;
        IdleStrategy own = w.isForWork() ? IdleStrategy.FOR_WORK : idle;
        boolean virtual = Thread.currentThread().isVirtual();
        boolean sleepsOnly = w.isLocalToRank() || virtual && w.needsItsThread();
        try {
            for (int round = polled; !isOver(w, virtual ? 0 : round); round++) {
                if (w.pattern == null && hasSomething() && moveOnce(w.one)) {
                    round = Math.min(round, 1) - 1; // the first pause follows, or the spin restarts
                } else if (sleepsOnly) {
                    if (!maySleep(w)) continue;
                    if (sleeper == null) sleeper = new SleepStrategy();
                    sleeper.sleepBriefly();
                } else if (virtual) {
                    failure.check();
                    interrupted |= virtuals.await(w);
                } else if (own.pause(round, w.pace)) {
                    if (maySleep(w)) interrupted |= sleep(w);
                    else round = 0;
                }
            }
        } finally {
            if (w.polls > 0) longWaits.remove(w.thread);
            w.end();
            if (sleeper != null) sleeper.over();
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    /// Returns whether the wait is over. For a pattern, polls if there may be new messages. Also polls in every
    /// 64th round, and while threads of this rank sleep, because a different thread may already have taken a
    /// matching message out of the ring.
    boolean isOver(Wait w, int round) {
        ShmTransfer pattern = w.pattern;
        if (pattern != null && !w.found && (hasSomething() || sleeping > 0 || round % 64 == 0)) {
            w.found = poll(pattern, w.take);
        }
        return w.isOver();
    }

    boolean hasSomething() {
        return progress.hasPending() || progress.hasOutgoing();
    }

    /// Returns whether the thread may sleep; false if a message moved during the check, or the wait is over.
    ///
    /// @throws Fault if the wait cannot complete
    private boolean maySleep(Wait w) {
        failure.check();
        Fault never = unreachable(w);
        ShmTransfer pattern = w.pattern;
        if (pattern != null && isOver(w, 0)) return false;
        Fault death = pattern == null ? null : peers.rankDeath(pattern);
        if (death != null) throw death;
        if (never != null) {
            failure.report(never);
            throw never;
        }
        giveNotice(w);
        return !isPollDue(w) || pollAgain(w);
    }

    /// Throws if the job has failed. Called after an unsuccessful poll.
    void checkFailures() {
        failure.check();
        peers.handleDeaths();
        Fault death = peers.death();
        // messages that were sent before the death may have become visible only now
        if (death == null || moveOnce(null)) return;
        failure.report(death);
        throw death;
    }

    /// Returns why the wait cannot complete, or null.
    @Nullable
    Fault unreachable(Wait w) {
        peers.handleDeaths();
        Activity one = w.one;
        if (one != null) return peers.unreachable(one);
        LocalWait local = w.local;
        if (local != null) return peers.unreachable(local);
        ShmTransfer pattern = w.pattern;
        if (pattern == null) return peers.allUnreachable(w.any, w.count);
        pattern.begin();
        Fault never = peers.unreachable(pattern);
        pattern.complete();
        return never;
    }

    /// Sends notices of the collective calls for which the thread waits, if notices are due.
    void giveNotice(Wait w) {
        if (!bells.canSleep() && ++w.shortSleeps % SHORT_SLEEPS_PER_SLEEP != 0) return;
        if (!CallAnnouncements.isTime(++w.sleeps)) return;
        Activity one = w.one;
        if (one != null) notices.give(one);
        for (int i = 0; i < w.count; i++) notices.give(w.any[i]);
    }

    /// Returns whether the next poll is due in a wait that is so long that its polls are counted for deadlock
    /// detection.
    boolean isPollDue(Wait w) {
        if (!isReported) return false;
        long now = System.nanoTime();
        if (w.sinceNanos == 0) w.sinceNanos = now | 1;
        return now - w.sinceNanos >= LONG_NANOS && now - w.polledNanos >= APART_NANOS;
    }

    /// Polls for all messages, and counts the poll if it has no effect on the wait. Returns false if a message
    /// moved or the wait is over.
    boolean pollAgain(Wait w) {
        lock.lock();
        try {
            if (progress.move()) {
                bells.ring(me);
                return false;
            }
            ShmTransfer pattern = w.pattern;
            boolean isThere = pattern != null ? progress.find(pattern) != null : w.local == null && w.isOver();
            if (isThere) return false;
            w.polledNanos = System.nanoTime();
            w.polls++;
            longWaits.put(w.thread, w);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Polls for a while with the lock held, because unlocking and locking cost as much as a short message. The
    /// method ends when another thread queues for the lock. Returns the number of unsuccessful rounds, from
    /// which [#await] continues. If there was progress, returns the bitwise complement of this number instead,
    /// and the caller must call [#wakeSleepers].
    int pollFor(Activity activity) {
        if (Thread.currentThread().isVirtual() || activity.port().isIdle()) return 0;
        Wait w = waits.get();
        if (w.isInUse) return 0;
        int round = 0;
        boolean moved = false;
        do {
            if (hasSomething() && progress.move(activity)) {
                moved = true;
                // if several threads of this rank make calls, one of them may be waiting for the lock without
                // being queued
                if (activity.isDone() || peers.areManyCallers()) break;
                if (sleeping > 0) bells.ring(me);
                round = Math.min(round, 1);
            } else {
                if (!idle.spins(round, w.pace)) break;
                round++;
                Thread.onSpinWait();
            }
        } while (!lock.hasQueuedThreads());
        return moved ? ~round : round;
    }

    /// Wakes sleeping threads, because awaited activities may be complete. Called after progress, without the
    /// lock.
    void wakeSleepers() {
        if (sleeping > 0) bells.ring(me);
    }

    /// Advances messages if no other thread of this rank holds the lock. Returns whether anything moved.
    boolean moveOnce(@Nullable Activity wanted) {
        if (!lock.tryLock()) return false;
        boolean moved;
        try {
            moved = progress.move(wanted);
        } finally {
            lock.unlock();
        }
        if (moved) wakeSleepers();
        return moved;
    }

    private boolean poll(ShmTransfer pattern, boolean take) {
        boolean moved = false;
        lock.lock();
        try {
            failure.check();
            peers.noteCaller();
            moved = progress.move();
            Arrival a = take ? progress.take(pattern) : progress.find(pattern);
            if (a == null) return false;
            pattern.source = a.source;
            pattern.receivedTag = a.tag;
            pattern.receivedBytes = ElementType.ofCode(a.typeCode).withoutGaps(a.length);
            pattern.type = ElementType.BYTE;
            return true;
        } finally {
            lock.unlock();
            if (moved) wakeSleepers();
        }
    }

    /// Returns whether an arrived message matches `pattern`.
    boolean mayMatch(ShmTransfer pattern) {
        lock.lock();
        try {
            return progress.find(pattern) != null;
        } finally {
            lock.unlock();
        }
    }

    /// See [Peers#rankDeath].
    @Nullable
    Fault rankDeath(Wait w) {
        ShmTransfer pattern = w.pattern;
        return pattern == null ? null : peers.rankDeath(pattern);
    }

    void fail(Fault why) {
        failure.report(why);
    }

    boolean hasFailed() {
        return failure.first() != null;
    }

    // ---- sleeping

    private boolean sleep(Wait w) {
        return sleep(w, null);
    }

    /// Sleeps until a rank wakes the thread, or the maximum duration has passed. Returns whether the thread was
    /// interrupted. The method is deliberately too long to be inlined, like [Progress#move(Activity)].
    ///
    /// @param own the wait of this thread; null for the thread that waits on behalf of all virtual threads
    boolean sleep(@Nullable Wait own, @Nullable VirtualWaits all) {
        boolean interrupted = Thread.interrupted();
        if (!bells.canSleep()) {
            LockSupport.parkNanos(this, SHORT_SLEEP_NANOS);
            return interrupted;
        }
        enterSleep();
        int bell = bells.announce(me);
        try {
            if (own != null ? isThere(own) : all != null && all.isAnyReady()) return interrupted;
            // after the announcement: check for work once more
            if (progress.hasPending() || hasFailed()) return interrupted;
            if (progress.hasWaits()) {
                lock.lock(); // not tryLock: the holder may make no progress and announce no wait
                try {
                    progress.announceWaits();
                    VarHandle.fullFence();
                    if (progress.canFlush() || progress.hasPending()) return interrupted;
                } finally {
                    lock.unlock();
                }
            }
            long nanos = SLEEP_NANOS;
            if (own != null) {
                Activity one = own.one;
                if (own.sleeps > SLEEPS_BEFORE_LONG) nanos = LONG_SLEEP_NANOS;
                if (one != null && own.sleeps > SLEEPS_BEFORE_IDLE && one.port().isIdle()) nanos = IDLE_SLEEP_NANOS;
            }
            bells.sleep(me, bell, nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            bells.rise(me);
            leaveSleep();
        }
        return interrupted;
    }

    /// Returns whether the wait is over, or another thread has received a matching message.
    private boolean isThere(Wait own) {
        ShmTransfer pattern = own.pattern;
        return own.isOver() || pattern != null && mayMatch(pattern);
    }

    private synchronized void enterSleep() {
        sleeping++;
    }

    private synchronized void leaveSleep() {
        sleeping--;
    }

    /// Called when a virtual thread starts to wait: wakes sleeping threads, because a sleeping thread may have
    /// to call [Progress#announceWaits].
    void wakeForNewWait() {
        if (sleeping > 0 && progress.hasWaits()) bells.ring(me);
    }

    // ---- reports on waits

    @Override
    public void whileStill(Runnable report) {
        isReported = true;
        try {
            // a thread that holds the lock for longer than this time executes a reduction operation of the
            // program, so the rank is not waiting
            if (!lock.tryLock(LOCK_MILLIS, TimeUnit.MILLISECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            report.run();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long moves() {
        return progress.moves();
    }

    @Override
    public long polls(Thread thread) {
        Wait w = longWaits.get(thread);
        return w == null ? 0 : w.polls;
    }

    @Override
    public @Nullable Transfer waitingFor(Collective call) {
        return ((ShmCollective) call).waitingFor();
    }

    @Override
    public List<Collective> underWay() {
        List<Collective> active = new ArrayList<>();
        progress.forEachActive(active::add);
        return active;
    }

    @Override
    public String reason(Transfer send) {
        if (!((ShmTransfer) send).isEarly) return "";
        return ", which requires that " + send.port().describeRank(send.peer) + " receives: it holds "
                + (mostUnreceived >> 10)
                + " KiB of unreceived messages from this rank (receive earlier, with irecv, or send with"
                + " bsend)";
    }
}
