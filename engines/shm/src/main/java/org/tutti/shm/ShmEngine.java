package org.tutti.shm;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.shm.match.ConfinedMemory;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.ArrivedReceive;
import org.tutti.shm.progress.EagerSend;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.shm.progress.ShortCall;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.SharedAllocator;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.shm.window.ShmWindows;
import org.tutti.spi.Activity;
import org.tutti.spi.Allocator;
import org.tutti.spi.Collective;
import org.tutti.spi.Communicators;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineInfo;
import org.tutti.spi.JobControl;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.NameService;
import org.tutti.spi.Power;
import org.tutti.spi.SleepStrategy;
import org.tutti.spi.Spawning;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitInsight;
import org.tutti.spi.Windows;

/// The engine of a rank in a shared-memory job.
final class ShmEngine implements Engine {
    private static final int NO_PROCESS = -1;

    /// How the job is aborted, which depends on whether ranks are processes or threads.
    interface Ending {
        void abort(int rank, int code, String why);
    }

    private final Segment segment;
    private final OsPlatform platform = OsPlatform.open();
    private final Extents extents;
    private final Allocator allocator;
    private final Bells bells;
    private final JobFailure failure;
    private final Progress progress;
    private final EagerSend eager;
    private final ArrivedReceive arrived;
    private final ShortCall shortCalls;
    private final WaitLoop waiting;

    /// The maximum number of polls of a blocking call on a short path: for a receive in total, for a collective
    /// call per post.
    private final int rounds;

    private final ReentrantLock lock;
    private final EngineInfo info;
    private final ShmCommunicators communicators;
    private final JobExit departure;
    private final ShmSpawning spawning;
    private final ShmNames names;

    /// The number of this process.
    private final int me;

    private final Peers peers;

    /// @param invitation the invitation of a spawned process; null for other processes
    /// @param lock the progress lock, which no thread holds yet
    /// @param status the status in which the launcher publishes dead ranks; null if the job does not survive
    ///     the death of ranks
    ShmEngine(
            Segment segment,
            Bells bells,
            Place place,
            @Nullable Invitation invitation,
            JobFailure failure,
            Ending ending,
            String description,
            IdleStrategy idle,
            ReentrantLock lock,
            @Nullable JobStatus status) {
        this.lock = lock;
        this.segment = segment;
        extents = new Extents(segment, platform);
        allocator = new SharedAllocator(segment.memory(), platform, extents);
        this.bells = bells;
        this.failure = failure;
        me = place.process();
        info = new EngineInfo(RankEnvironment.SHM, description, Host.name(), Integer.MAX_VALUE, true);
        progress = new Progress(segment, extents, bells, me, failure, lock);
        peers = new Peers(segment, progress, bells, failure, me, status);
        CallAnnouncements notices =
                new CallAnnouncements(progress, bells, new ShmCollective(this, segment.memory(), bells));
        waiting = new WaitLoop(progress, bells, idle, failure, peers, notices, me, segment.mostUnreceived());
        communicators = new ShmCommunicators(this, progress, failure, place);
        spawning = new ShmSpawning(segment, communicators, peers, place, invitation);
        names = new ShmNames(segment, communicators, place);
        departure = new JobExit(segment, progress, failure, ending, me);
        eager = new EagerSend(progress);
        arrived = new ArrivedReceive(progress, segment.memory(), bells);
        shortCalls = new ShortCall(progress, segment.memory(), bells);
        rounds = idle.firstRounds();
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
        if (kind == Windows.class) {
            return kind.cast(new ShmWindows(this, failure, segment.memory(), bells, extents, platform));
        }
        if (kind == MessageAudit.class) return kind.cast(departure);
        if (kind == Spawning.class) return kind.cast(spawning);
        if (kind == NameService.class) return kind.cast(names);
        return kind == WaitInsight.class ? kind.cast(waiting) : null;
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
        if (activity.family == Activity.Family.TRANSFER && startAtOnce((ShmTransfer) activity)) return;
        enter(activity, false);
    }

    @Override
    public void run(Activity activity) {
        if (activity.family == Activity.Family.TRANSFER && runAtOnce((ShmTransfer) activity)) return;
        int polled = enter(activity, true);
        if (!activity.isDone()) waiting.await(activity, polled);
    }

    private boolean startAtOnce(ShmTransfer t) {
        return t.kind == Transfer.Kind.SEND ? sendAtOnce(t) : receiveAtOnce(t, 1);
    }

    /// Executes a blocking send or receive on the short path. If the general path must be used, has no effect
    /// and returns false.
    private boolean runAtOnce(ShmTransfer t) {
        return t.kind == Transfer.Kind.SEND ? sendAtOnce(t) : receiveAtOnce(t, rounds);
    }

    private boolean receiveAtOnce(ShmTransfer t, int polls) {
        if (!ArrivedReceive.suits(t)) return false;
        ShmPort port = (ShmPort) t.port();
        int sender = t.peer < 0 ? NO_PROCESS : port.process(t.peer);
        lock.lock();
        try {
            failure.check();
            peers.noteCaller();
            return arrived.take(t, sender, port.context, polls);
        } finally {
            lock.unlock();
        }
    }

    private boolean sendAtOnce(ShmTransfer t) {
        if (!EagerSend.suits(t)) return false;
        ShmPort port = (ShmPort) t.port();
        int receiver = port.process(t.peer);
        lock.lock();
        try {
            failure.check();
            peers.noteCaller();
            if (!eager.write(t, receiver, port.context, port.rank())) return false;
        } finally {
            lock.unlock();
        }
        bells.ringAfterFence(receiver); // unlocking is a full fence
        return true;
    }

    /// Acquires the lock and starts an activity. Returns the result of [WaitLoop#pollFor].
    ///
    /// @param stays whether the calling thread waits for completion, and polls while holding the lock
    private int enter(Activity activity, boolean stays) {
        int receiver = NO_PROCESS, polled = 0;
        lock.lock();
        try {
            receiver = begin(activity, stays);
            if (stays && !activity.isDone()) {
                if (receiver != NO_PROCESS) bells.ring(receiver);
                receiver = NO_PROCESS;
                polled = waiting.pollFor(activity);
            }
        } catch (Throwable t) {
            activity.fail(t);
            throw t;
        } finally {
            lock.unlock();
        }
        // unlocking was a full fence
        if (receiver != NO_PROCESS) bells.ringAfterFence(receiver);
        if (polled >= 0) return polled;
        waiting.wakeSleepers();
        return ~polled;
    }

    /// Starts an activity. Called under the lock. Returns the process that must be woken if it sleeps;
    /// [#NO_PROCESS] if there is none.
    ///
    /// @param blocking whether the calling thread waits for completion
    private int begin(Activity activity, boolean blocking) {
        failure.check();
        peers.noteCaller();
        return switch (activity.family) {
            case TRANSFER -> beginTransfer((ShmTransfer) activity);
            case COLLECTIVE -> beginCollective((ShmCollective) activity, blocking);
        };
    }

    private int beginCollective(ShmCollective c, boolean blocking) {
        Thread owner = ConfinedMemory.owner(c);
        if (owner != null && !blocking && peers.areManyCallers()) {
            throw ConfinedMemory.refusal(
                    c, ", and another thread of this rank has called MPI, which may have to complete the call");
        }
        ShmPort port = (ShmPort) c.port();
        CollectiveSlots slots = port.slots();
        if (blocking && owner == null && slots != null) {
            if (shortCalls.begin(c, port.context + ShmPort.COLLECTIVE, slots, rounds)) return NO_PROCESS;
        }
        c.begin();
        c.owner(owner);
        progress.startCollective(c, port.context(Transfer.Lane.COLLECTIVE), slots);
        return NO_PROCESS;
    }

    private int beginTransfer(ShmTransfer t) {
        ShmPort port = (ShmPort) t.port();
        t.begin();
        t.context = port.context(t.lane);
        t.begin(
                t.kind == Transfer.Kind.RECV_ALLOCATE ? null : ConfinedMemory.owner(t, t.memory),
                peers.areManyCallers());
        if (t.kind != Transfer.Kind.SEND) {
            // a second thread of this rank may sleep until the message has been received
            return progress.receive(t) ? me : NO_PROCESS;
        }
        t.outlives = false;
        int receiver = port.process(t.peer);
        // the receiver may be this rank: a second thread of this rank may sleep until the message is available
        return progress.send(t, receiver) ? receiver : NO_PROCESS;
    }

    @Override
    public boolean test(Activity activity) {
        if (activity.isDone()) return true;
        Peers.checkOwner(activity);
        if (!waiting.moveOnce(activity)) {
            waiting.checkFailures();
            SleepStrategy.afterVainTest();
        }
        return activity.isDone();
    }

    @Override
    public void await(Activity activity) {
        waiting.await(activity);
    }

    @Override
    public void await(LocalWait wait) {
        waiting.await(wait);
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        return waiting.awaitAny(activities, count);
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
                bells.ring(me);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        ShmTransfer t = (ShmTransfer) pattern;
        t.context = ((ShmPort) t.port()).context(t.lane);
        return waiting.probe(t, wait, take);
    }

    @Override
    public Allocator allocator() {
        return allocator;
    }
}
