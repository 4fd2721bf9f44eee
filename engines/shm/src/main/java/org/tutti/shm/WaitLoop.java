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

/// How threads of this rank wait: they look for messages and move them, for a while without pause, and then
/// sleep until somebody has something for the rank. Virtual threads have one platform thread that does so for
/// all of them ([VirtualWaits]).
final class WaitLoop implements WaitInsight {
    /// A sleeper looks at the job's health this often.
    private static final long SLEEP_NANOS = 100_000_000;

    /// One that has slept so often, this often; a proof of a deadlock wants two looks in a second. And one that
    /// waits for work.
    private static final int SLEEPS_BEFORE_LONG = 100, SLEEPS_BEFORE_IDLE = 20;
    private static final long LONG_SLEEP_NANOS = 300_000_000, IDLE_SLEEP_NANOS = 1_000_000_000;

    /// One that cannot be woken looks this often.
    private static final long NAP_NANOS = 500_000;

    private static final long NAPS_PER_SLEEP = SLEEP_NANOS / NAP_NANOS;

    /// Who reports waits for the lock no longer than this.
    private static final long LOCK_MILLIS = 50;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Where sleeps are short, the looks of a long wait are further apart than these.
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

    /// Those that have lasted for a second, by thread.
    private final Map<Thread, Wait> longWaits = new ConcurrentHashMap<>();

    /// Whether somebody asks for [#looks].
    private volatile boolean isReported;

    /// Threads of this rank that sleep; another one that completes their business wakes them.
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

    // ---- what there is to wait for

    void await(Activity activity) {
        await(activity, 0);
    }

    /// @param looked what [#lookFor] has returned
    void await(Activity activity, int looked) {
        if (activity.isDone()) return;
        Peers.checkOwner(activity);
        Wait w = begin();
        w.one = activity;
        run(w, looked);
    }

    int awaitAny(Activity[] activities, int count) {
        for (int i = 0; i < count; i++) if (activities[i].isDone()) return i;
        for (int i = 0; i < count; i++) Peers.checkOwner(activities[i]);
        Wait w = begin();
        w.any = activities;
        w.count = count;
        run(w, 0);
        for (int i = 0; i < count; i++) if (activities[i].isDone()) return i;
        throw new IllegalStateException("a wait that is over without an activity that is done");
    }

    void await(LocalWait wait) {
        Wait w = begin();
        w.local = wait;
        run(w, 0);
    }

    /// See [org.tutti.spi.Engine#probe].
    boolean probe(ShmTransfer pattern, boolean wait, boolean take) {
        boolean found = look(pattern, take);
        if (found || !wait) {
            if (!found) checkInVain();
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
        // a call that is made out of another one's wait
        if (w.isInUse) w = new Wait();
        w.begin();
        return w;
    }

    // ---- the loop

    /// @param looked the rounds that it has passed in [#lookFor]
    private void run(Wait w, int looked) {
        boolean interrupted = false;
        SleepStrategy nap = null;
        IdleStrategy own = w.isForWork() ? IdleStrategy.FOR_WORK : idle;
        boolean virtual = Thread.currentThread().isVirtual();
        boolean naps = w.isLocalToRank() || virtual && w.needsItsThread();
        try {
            for (int round = looked; !isOver(w, virtual ? 0 : round); round++) {
                if (w.pattern == null && hasSomething() && moveOnce(w.one)) {
                    round = Math.min(round, 1) - 1; // the first pause is still to come, or the spin begins anew
                } else if (naps) {
                    if (!mayStillCome(w)) continue;
                    if (nap == null) nap = new SleepStrategy();
                    nap.nap();
                } else if (virtual) {
                    failure.check();
                    interrupted |= virtuals.await(w);
                } else if (own.pause(round, w.pace)) {
                    if (mayStillCome(w)) interrupted |= sleep(w);
                    else round = 0;
                }
            }
        } finally {
            if (w.looks > 0) longWaits.remove(w.thread);
            w.end();
            if (nap != null) nap.over();
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    /// Of a pattern, with a look where there may be something new; another thread may have taken the message out of
    /// its ring.
    boolean isOver(Wait w, int round) {
        ShmTransfer pattern = w.pattern;
        if (pattern != null && !w.found && (hasSomething() || sleeping > 0 || round % 64 == 0)) {
            w.found = look(pattern, w.take);
        }
        return w.isOver();
    }

    boolean hasSomething() {
        return progress.hasNews() || progress.hasOutgoing();
    }

    /// Before the thread sleeps: whether it may. False when the look that this takes has moved something.
    ///
    /// @throws Fault when what it waits for never comes
    private boolean mayStillCome(Wait w) {
        failure.check();
        Fault never = hopeless(w);
        ShmTransfer pattern = w.pattern;
        if (pattern != null && isOver(w, 0)) return false;
        Fault loss = pattern == null ? null : peers.loss(pattern);
        if (loss != null) throw loss;
        if (never != null) {
            failure.tell(never);
            throw never;
        }
        giveNotice(w);
        return !isLookDue(w) || lookAgain(w);
    }

    /// After a look that has found nothing.
    void checkInVain() {
        failure.check();
        peers.takeLosses();
        Fault death = peers.death();
        // what was sent before may have come only now
        if (death == null || moveOnce(null)) return;
        failure.tell(death);
        throw death;
    }

    /// Why what it waits for can never come; null when it may.
    @Nullable
    Fault hopeless(Wait w) {
        peers.takeLosses();
        Activity one = w.one;
        if (one != null) return peers.hopeless(one);
        LocalWait local = w.local;
        if (local != null) return peers.hopeless(local);
        ShmTransfer pattern = w.pattern;
        if (pattern == null) return peers.hopelessAll(w.any, w.count);
        pattern.begin();
        Fault never = peers.hopeless(pattern);
        pattern.complete();
        return never;
    }

    /// What it waits for in a collective call, where it is time to say so.
    void giveNotice(Wait w) {
        if (!bells.canSleep() && ++w.naps % NAPS_PER_SLEEP != 0) return;
        if (!CallAnnouncements.isTime(++w.sleeps)) return;
        Activity one = w.one;
        if (one != null) notices.give(one);
        for (int i = 0; i < w.count; i++) notices.give(w.any[i]);
    }

    /// Whether the wait has lasted so long that its looks count, and one is due.
    boolean isLookDue(Wait w) {
        if (!isReported) return false;
        long now = System.nanoTime();
        if (w.sinceNanos == 0) w.sinceNanos = now | 1;
        return now - w.sinceNanos >= LONG_NANOS && now - w.lookedNanos >= APART_NANOS;
    }

    /// Looks for everything; if this changes nothing for the wait, it has looked once more. False when something was
    /// moved, or is there.
    boolean lookAgain(Wait w) {
        lock.lock();
        try {
            if (progress.move()) {
                bells.ring(me);
                return false;
            }
            ShmTransfer pattern = w.pattern;
            boolean isThere = pattern != null ? progress.find(pattern) != null : w.local == null && w.isOver();
            if (isThere) return false;
            w.lookedNanos = System.nanoTime();
            w.looks++;
            longWaits.put(w.thread, w);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Looks for a while with the lock in hand, because to give it back and take it again costs as much as a
    /// short message; gives up when another thread wants it. Returns the rounds in vain, with which
    /// [#await] goes on; their complement where something was moved, and [#wakeOthers] is to be called.
    int lookFor(Activity activity) {
        if (Thread.currentThread().isVirtual() || activity.port().isIdle()) return 0;
        Wait w = waits.get();
        if (w.isInUse) return 0;
        int round = 0;
        boolean moved = false;
        do {
            if (hasSomething() && progress.move(activity)) {
                moved = true;
                // others may wait for the lock without a place in its queue
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

    /// Something was moved, and the lock has been given back: what it has ended may be that of a thread that sleeps.
    void wakeOthers() {
        if (sleeping > 0) bells.ring(me);
    }

    /// Moves messages if no other thread of this rank is at it. Returns whether anything moved.
    boolean moveOnce(@Nullable Activity wanted) {
        if (!lock.tryLock()) return false;
        boolean moved;
        try {
            moved = progress.move(wanted);
        } finally {
            lock.unlock();
        }
        if (moved) wakeOthers();
        return moved;
    }

    private boolean look(ShmTransfer pattern, boolean take) {
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
            if (moved) wakeOthers();
        }
    }

    /// Whether there is a message for it.
    boolean mayMatch(ShmTransfer pattern) {
        lock.lock();
        try {
            return progress.find(pattern) != null;
        } finally {
            lock.unlock();
        }
    }

    /// See [Peers#loss].
    @Nullable
    Fault loss(Wait w) {
        ShmTransfer pattern = w.pattern;
        return pattern == null ? null : peers.loss(pattern);
    }

    void fail(Fault why) {
        failure.tell(why);
    }

    boolean hasFailed() {
        return failure.first() != null;
    }

    // ---- sleeping

    private boolean sleep(Wait w) {
        return sleep(w, null);
    }

    /// Sleeps until somebody has something for this rank. Returns whether the thread was interrupted. As long as
    /// [Progress#move(Activity)], and for the same reason.
    ///
    /// @param own null for the thread that waits for all virtual ones
    boolean sleep(@Nullable Wait own, @Nullable VirtualWaits all) {
        boolean interrupted = Thread.interrupted();
        if (!bells.canSleep()) {
            LockSupport.parkNanos(this, NAP_NANOS);
            return interrupted;
        }
        enterSleep();
        int bell = bells.announce(me);
        try {
            if (own != null ? isThere(own) : all != null && all.isAnyReady()) return interrupted;
            // after the announcement: whether there is something to do after all
            if (progress.hasNews() || hasFailed()) return interrupted;
            if (progress.hasWaits()) {
                lock.lock(); // whoever has it may move nothing, and then nobody has asked
                try {
                    progress.announceWaits();
                    VarHandle.fullFence();
                    if (progress.canFlush() || progress.hasNews()) return interrupted;
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

    /// Whether it is over, or another thread has brought the message that it looks for.
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

    /// A virtual thread begins to wait for what somebody who sleeps may have to ask for, see
    /// [Progress#announceWaits].
    void wakeForNewWait() {
        if (sleeping > 0 && progress.hasWaits()) bells.ring(me);
    }

    // ---- what is told of waits

    @Override
    public void whileStill(Runnable report) {
        isReported = true;
        try {
            // whoever holds it longer is in an operation of the program, and the rank waits for nothing else
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
    public long looks(Thread thread) {
        Wait w = longWaits.get(thread);
        return w == null ? 0 : w.looks;
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
        return ", for which " + send.port().who(send.peer) + " must receive: it has " + (mostUnreceived >> 10)
                + " KiB of messages from this rank that it has not received (let it receive earlier, by irecv, or send by"
                + " bsend)";
    }
}
