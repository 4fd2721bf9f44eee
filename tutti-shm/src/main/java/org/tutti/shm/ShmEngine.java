package org.tutti.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Host;
import org.tutti.job.WaitPage;
import org.tutti.shm.board.CollectiveSlots;
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
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Idle;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// One rank of a shared-memory job, as the user API sees it.
final class ShmEngine implements Engine {
    /// A sleeper looks at the job's health this often.
    private static final long SLEEP_NANOS = 100_000_000;

    /// Before a rank leaves it tries this often to take what was sent to it.
    private static final int LAST_LOOKS = 10_000;

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
    private final Ending ending;
    private final Idle idle;
    private final Progress progress;
    private final LongWaits longWaits;
    private final LocalWaiting localWaiting;
    private final ReentrantLock lock;
    private final ShmPort world;
    private final ShmPort self;
    private final SplitByAllgather splitter;
    private final CreateGroupByLeader groups;
    private final String description;
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
        this.ending = ending;
        this.description = description;
        progress = new Progress(segment, bells, rank, failure, lock);
        longWaits = new LongWaits(progress, bells, rank, segment, waits);
        peers = new Peers(segment, progress, failure, rank);
        notices = new Notices(progress, bells, new ShmCollective(this, segment.memory(), bells));
        localWaiting = new LocalWaiting(this::moveOnce, failure, longWaits);
        world = port(rank, IntStream.range(0, segment.size()).toArray(), ContextIds.WORLD, "WORLD");
        if (segment.size() > 1) world.board(progress.boards().ofWorld(world));
        self = port(0, new int[] {rank}, ContextIds.SELF, "SELF");
        ContextIds ids = new ContextIds(rank);
        splitter = new SplitByAllgather(this, ids);
        groups = new CreateGroupByLeader(this, ids, failure);
    }

    /// A new communicator of this rank.
    ShmPort port(int rank, int[] worldRanks, long context, String name) {
        ShmPort made = new ShmPort(rank, worldRanks, context, name);
        lock.lock();
        try {
            progress.name(context, made);
            progress.name(made.context(Transfer.Lane.COLLECTIVE), made);
            progress.name(made.context(Transfer.Lane.PARTITIONED), made);
        } finally {
            lock.unlock();
        }
        return made;
    }

    /// An area for this rank's posts on a communicator that is being made.
    long boardArea(long mark) {
        lock.lock();
        try {
            return progress.boards().area(mark);
        } finally {
            lock.unlock();
        }
    }

    /// Gives a new communicator its board, in the areas that its ranks have told each other.
    void board(ShmPort port, long[] areas, long[] marks) {
        lock.lock();
        try {
            port.board(progress.boards().of(port, areas, marks));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public String processorName() {
        return Host.name();
    }

    @Override
    public int tagUpperBound() {
        return Integer.MAX_VALUE;
    }

    Peers peers() {
        return peers;
    }

    @Override
    public CommPort world() {
        return world;
    }

    @Override
    public CommPort self() {
        return self;
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        return splitter.split((ShmPort) parent, color, key, "split");
    }

    @Override
    public CommPort dup(CommPort parent) {
        return whole(parent, parent.rank(), "dup");
    }

    @Override
    public Collective startDup(CommPort parent) {
        Collective call = splitter.tell((ShmPort) parent, 0, parent.rank(), "idup");
        call.form = Collective.Form.NONBLOCKING;
        start(call);
        return call;
    }

    @Override
    public CommPort finishDup(Collective done) {
        CommPort made = splitter.made(done, 0);
        if (made == null) throw new IllegalStateException("idup of " + done.port() + " came to nothing");
        return made;
    }

    private CommPort whole(CommPort parent, int key, String operation) {
        CommPort all = splitter.split((ShmPort) parent, 0, key, operation);
        if (all == null) throw new IllegalStateException(operation + " of " + parent + " came to nothing");
        return all;
    }

    @Override
    public CommPort splitShared(CommPort parent, int key) {
        // all ranks of this engine are on one machine
        return whole(parent, key, "splitType");
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        return groups.create((ShmPort) parent, ranks, tag);
    }

    @Override
    public void free(CommPort port) {
        ShmPort p = (ShmPort) port;
        if (port.size() == 0) return;
        lock.lock();
        try {
            progress.free(p.context(Transfer.Lane.USER));
            progress.free(p.context(Transfer.Lane.COLLECTIVE));
            progress.free(p.context(Transfer.Lane.MAKING));
            progress.free(p.context(Transfer.Lane.PARTITIONED));
            CollectiveSlots board = p.board();
            if (board != null) progress.boards().close(board);
        } finally {
            lock.unlock();
        }
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
        activity.begin();
        switch (activity) {
            case ShmTransfer t -> {
                return beginTransfer(t);
            }
            case ShmCollective c -> {
                ShmPort port = (ShmPort) c.port();
                Thread owner = Confined.owner(c);
                if (owner != null && !blocking && peers.areManyCallers()) {
                    throw Confined.refusal(
                            c, ", and another thread of this rank, which has called MPI, may have to go on with it");
                }
                c.owner(owner);
                progress.startCollective(c, port.nextCall(), port.context(Transfer.Lane.COLLECTIVE), port.board());
                return NOBODY;
            }
            default -> throw new IllegalArgumentException("an activity of another engine: " + activity.getClass());
        }
    }

    private int beginTransfer(ShmTransfer t) {
        ShmPort port = (ShmPort) t.port();
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
            if (sleeping > 0) bells.ring(world.rank());
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
        if (moved && sleeping > 0) bells.ring(world.rank());
        return moved;
    }

    /// Sleeps until somebody has something for this rank. Returns whether the thread was interrupted.
    private boolean sleep(@Nullable Activity one, Activity[] any, int count) {
        boolean interrupted = Thread.interrupted();
        enterSleep();
        int bell = bells.announce(world.rank());
        try {
            if (one != null && one.isDone() || firstDone(any, count) >= 0 || nothingToSleepFor()) return interrupted;
            bells.sleep(world.rank(), bell, SLEEP_NANOS);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            bells.rise(world.rank());
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

    @Override
    public boolean outlives(Transfer send) {
        return send.isDone() || ((ShmTransfer) send).outlives;
    }

    @Override
    public @Nullable String unreceived() {
        // against the fence in leave(): of a sender and a receiver that both leave, one sees the other
        VarHandle.fullFence();
        lock.lock();
        try {
            for (int i = 0; i < LAST_LOOKS && progress.move(); i++) Thread.onSpinWait();
            return progress.unreceived();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void leave() {
        lock.lock();
        try {
            // what was sent lies in the segment
            progress.move();
            progress.leave();
        } finally {
            lock.unlock();
        }
        segment.leave(world.rank());
        VarHandle.fullFence();
    }

    @Override
    public void abort(int code, String why) {
        ending.abort(world.rank(), code, why);
    }

    @Override
    public @Nullable RuntimeException poison() {
        return failure.first();
    }
}
