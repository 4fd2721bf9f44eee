package org.tutti.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Host;
import org.tutti.job.RankEnvironment;
import org.tutti.job.WaitPage;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.Confined;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.LongWaits;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Communicators;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineInfo;
import org.tutti.spi.Fault;
import org.tutti.spi.Idle;
import org.tutti.spi.JobControl;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.Power;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// One rank of a shared-memory job, as the user API sees it.
final class ShmEngine implements Engine {
    /// A sleeper looks at the job's health this often.
    private static final long SLEEP_NANOS = 100_000_000;

    private static final Activity[] NONE = {};
    private static final int VIRTUAL_ROUNDS = 2048;
    private static final int NOBODY = -1;

    /// What ends the job: differs between ranks in processes and ranks in threads.
    interface Ending {
        void abort(int rank, int code, String why);
    }

    private final Segment segment;
    private final Bells bells;
    private final JobFailure failure;
    private final Idle idle;
    private final Progress progress;
    private final LongWaits longWaits;
    private final LocalWaiting localWaiting;
    private final ReentrantLock lock;
    private final EngineInfo info;
    private final ShmCommunicators communicators;
    private final Departure departure;

    /// Of this rank in the world.
    private final int me;

    private final Peers peers;
    private final Notices notices;

    /// Threads of this rank that sleep; another one that completes their business wakes them.
    private volatile int sleeping;

    /// @param waits where the launcher reads what this rank waits for; null without one
    /// @param lock the progress lock, which nobody holds yet
    ShmEngine(
            Segment segment,
            Bells bells,
            int rank,
            JobFailure failure,
            Ending ending,
            String description,
            @Nullable WaitPage waits,
            Idle idle,
            ReentrantLock lock) {
        this.idle = idle;
        this.lock = lock;
        this.segment = segment;
        this.bells = bells;
        this.failure = failure;
        me = rank;
        info = new EngineInfo(RankEnvironment.SHM, description, Host.name(), Integer.MAX_VALUE, true);
        progress = new Progress(segment, bells, rank, failure, lock);
        longWaits = new LongWaits(progress, bells, rank, segment, waits);
        peers = new Peers(segment, progress, failure, rank);
        notices = new Notices(progress, bells, new ShmCollective(this, segment.memory(), bells));
        localWaiting = new LocalWaiting(this::moveOnce, failure, longWaits);
        communicators = new ShmCommunicators(this, progress, failure, rank, segment.size());
        departure = new Departure(segment, progress, failure, ending, rank);
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public Communicators communicators() {
        return communicators;
    }

    @Override
    public JobControl job() {
        return departure;
    }

    @Override
    public <P extends Power> @Nullable P power(Class<P> kind) {
        return kind == MessageAudit.class ? kind.cast(departure) : null;
    }

    Peers peers() {
        return peers;
    }

    @Override
    public Transfer transfer() {
        return new ShmTransfer();
    }

    @Override
    public Collective collective() {
        return new ShmCollective(this, segment.memory(), bells);
    }

    @Override
    public void start(Activity activity) {
        int receiver = NOBODY;
        lock.lock();
        try {
            receiver = begin(activity, false);
        } catch (Throwable t) {
            activity.fail(t);
            throw t;
        } finally {
            lock.unlock();
        }
        // to give a lock back is a full fence
        if (receiver != NOBODY) bells.ringAfterFence(receiver);
    }

    /// Under the lock. Returns the rank of the world that is to be woken if it sleeps.
    ///
    /// @param blocking whether the calling thread stays until it is done
    private int begin(Activity activity, boolean blocking) {
        failure.check();
        peers.noteCaller();
        return switch (activity) {
            case Transfer t -> beginTransfer((ShmTransfer) t);
            case Collective c -> beginCollective((ShmCollective) c, blocking);
        };
    }

    private int beginCollective(ShmCollective c, boolean blocking) {
        Thread owner = Confined.owner(c);
        if (owner != null && !blocking && peers.areManyCallers()) {
            throw Confined.refusal(
                    c, ", and another thread of this rank, which has called MPI, may have to go on with it");
        }
        ShmPort port = (ShmPort) c.port();
        c.begin();
        c.owner(owner);
        progress.startCollective(c, port.context(Transfer.Lane.COLLECTIVE), port.board());
        return NOBODY;
    }

    private int beginTransfer(ShmTransfer t) {
        ShmPort port = (ShmPort) t.port();
        t.begin();
        t.context = port.context(t.lane);
        t.begin(t.kind == Transfer.Kind.RECV_ALLOCATE ? null : Confined.owner(t, t.memory), peers.areManyCallers());
        if (t.kind != Transfer.Kind.SEND) {
            progress.receive(t);
            return NOBODY;
        }
        t.outlives = false;
        int receiver = port.worldRank(t.peer);
        // to this rank, too: another thread of it may sleep until this very message is there
        return progress.send(t, receiver) ? receiver : NOBODY;
    }

    @Override
    public void run(Activity activity) {
        int receiver = NOBODY;
        lock.lock();
        try {
            receiver = begin(activity, true);
            if (!activity.isDone()) {
                if (receiver != NOBODY) bells.ring(receiver);
                receiver = NOBODY;
                lookFor(activity);
            }
        } catch (Throwable t) {
            activity.fail(t);
            throw t;
        } finally {
            lock.unlock();
        }
        if (receiver != NOBODY) bells.ringAfterFence(receiver);
        if (!activity.isDone()) await(activity);
    }

    /// Looks for a while with the lock in hand, because to give it back and take it again costs as much as a
    /// short message; gives up when another thread wants it.
    private void lookFor(Activity activity) {
        if (Thread.currentThread().isVirtual()) return;
        for (int i = idle.spins(); i > 0 && !lock.hasQueuedThreads(); i--) {
            if (!progress.hasNews() && !progress.hasOutgoing() || !progress.move(activity)) {
                Thread.onSpinWait();
                continue;
            }
            longWaits.moved();
            if (sleeping > 0) bells.ring(me);
            if (activity.isDone()) return;
        }
    }

    @Override
    public boolean test(Activity activity) {
        if (activity.isDone()) return true;
        Peers.checkOwner(activity);
        if (!moveOnce(activity)) {
            failure.check();
            if (Thread.currentThread().isVirtual()) Thread.yield();
        }
        return activity.isDone();
    }

    @Override
    public void await(Activity activity) {
        if (activity.isDone()) return;
        Peers.checkOwner(activity);
        boolean interrupted = false;
        int sleeps = 0;
        long since = 0;
        try {
            for (int round = 0; !activity.isDone(); round++) {
                if ((progress.hasNews() || progress.hasOutgoing()) && moveOnce(activity)) {
                    round = 0;
                } else if (idle.pause(round)) {
                    failure.check();
                    peers.checkPeer(activity);
                    since = longWaits.still(since, activity);
                    if (Notices.isTime(++sleeps)) notices.give(activity);
                    interrupted |= sleep(activity, NONE, 0);
                } else if (Thread.currentThread().isVirtual()) {
                    failure.check();
                    if (isVirtualsTurn(round)) {
                        peers.checkPeer(activity);
                        since = longWaits.still(since, activity);
                    }
                }
            }
        } finally {
            if (since != 0) longWaits.over();
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    @Override
    public void await(LocalWait wait) {
        localWaiting.await(wait);
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        boolean interrupted = false;
        int sleeps = 0;
        int done = firstDone(activities, count);
        for (int i = 0; i < count && done < 0; i++) Peers.checkOwner(activities[i]);
        long since = 0;
        try {
            for (int round = 0; done < 0; round++) {
                if ((progress.hasNews() || progress.hasOutgoing()) && moveOnce()) {
                    round = 0;
                } else if (idle.pause(round)) {
                    failure.check();
                    peers.checkPeers(activities, count);
                    since = longWaits.still(since, activities, count);
                    if (Notices.isTime(++sleeps)) for (int i = 0; i < count; i++) notices.give(activities[i]);
                    interrupted |= sleep(null, activities, count);
                } else if (Thread.currentThread().isVirtual()) {
                    failure.check();
                    if (isVirtualsTurn(round)) {
                        peers.checkPeers(activities, count);
                        since = longWaits.still(since, activities, count);
                    }
                }
                done = firstDone(activities, count);
            }
        } finally {
            if (since != 0) longWaits.over();
        }
        if (interrupted) Thread.currentThread().interrupt();
        return done;
    }

    /// Virtual threads never sleep in here; now and then they look where the others do before they sleep.
    private static boolean isVirtualsTurn(int round) {
        return round % VIRTUAL_ROUNDS == VIRTUAL_ROUNDS - 1
                && Thread.currentThread().isVirtual();
    }

    private static int firstDone(Activity[] activities, int count) {
        for (int i = 0; i < count; i++) if (activities[i].isDone()) return i;
        return -1;
    }

    /// Moves messages if no other thread of this rank is at it. Returns whether anything moved.
    private boolean moveOnce() {
        return moveOnce(null);
    }

    private boolean moveOnce(@Nullable Activity wanted) {
        if (!lock.tryLock()) return false;
        boolean moved;
        try {
            moved = progress.move(wanted);
            if (moved) longWaits.moved();
        } finally {
            lock.unlock();
        }
        if (moved && sleeping > 0) bells.ring(me);
        return moved;
    }

    /// Sleeps until somebody has something for this rank. Returns whether the thread was interrupted.
    private boolean sleep(@Nullable Activity one, Activity[] any, int count) {
        boolean interrupted = Thread.interrupted();
        enterSleep();
        int bell = bells.announce(me);
        try {
            if (one != null && one.isDone() || firstDone(any, count) >= 0 || nothingToSleepFor()) return interrupted;
            bells.sleep(me, bell, SLEEP_NANOS);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            bells.rise(me);
            leaveSleep();
        }
        return interrupted;
    }

    private synchronized void enterSleep() {
        sleeping++;
    }

    private synchronized void leaveSleep() {
        sleeping--;
    }

    /// After the announcement: whether there is something to do after all.
    private boolean nothingToSleepFor() {
        if (progress.hasNews() || failure.first() != null) return true;
        if (!progress.hasWaits()) return false;
        if (!lock.tryLock()) return false;
        try {
            progress.announceWaits();
            VarHandle.fullFence();
            return progress.canFlush() || progress.hasNews();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel(Transfer receive) {
        lock.lock();
        try {
            ShmTransfer t = (ShmTransfer) receive;
            if (!t.isDone() && progress.withdraw(t)) {
                t.cancelled = true;
                t.source = Transfer.PROC_NULL;
                t.receivedTag = Transfer.ANY_TAG;
                t.receivedBytes = 0;
                t.complete();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        ShmTransfer t = (ShmTransfer) pattern;
        t.context = ((ShmPort) t.port()).context(t.lane);
        boolean interrupted = false;
        boolean found = look(t, take);
        long since = 0;
        try {
            for (int round = 0; wait && !found; round++) {
                if (idle.pause(round)) {
                    found = lookBeforeSleep(t, take);
                    if (found) break;
                    since = longWaits.stillProbing(since, t);
                    interrupted |= sleep(null, NONE, 0);
                } else if (isVirtualsTurn(round)) {
                    found = lookBeforeSleep(t, take);
                    if (found) break;
                    since = longWaits.stillProbing(since, t);
                }
                if (progress.hasNews() || progress.hasOutgoing()) found = look(t, take);
                else if (sleeping > 0 || round % 64 == 0) found = look(t, take);
            }
        } finally {
            if (since != 0) longWaits.over();
        }
        if (!found) failure.check();
        if (interrupted) Thread.currentThread().interrupt();
        return found;
    }

    /// As [#look], and throws when nothing can come any more.
    private boolean lookBeforeSleep(ShmTransfer pattern, boolean take) {
        pattern.begin();
        Fault never = peers.hopeless(pattern);
        pattern.complete();
        // what another thread took out of the ring meanwhile lies in the queue
        if (look(pattern, take)) return true;
        if (never == null) return false;
        failure.tell(never);
        throw never;
    }

    private boolean look(ShmTransfer pattern, boolean take) {
        lock.lock();
        try {
            failure.check();
            peers.noteCaller();
            progress.move();
            Arrival a = take ? progress.take(pattern) : progress.find(pattern);
            if (a == null) return false;
            pattern.source = a.source;
            pattern.receivedTag = a.tag;
            pattern.receivedBytes = a.length;
            pattern.type = ElementType.BYTE;
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public MemorySegment allocate(long bytes) {
        long at = segment.extent(Math.max(bytes, 1), "alloc");
        return segment.memory().segment().asSlice(at, bytes);
    }
}
