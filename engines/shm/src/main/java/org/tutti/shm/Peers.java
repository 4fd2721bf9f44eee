package org.tutti.shm;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.CallingThreads;
import org.tutti.job.status.JobStatus;
import org.tutti.shm.match.ConfinedMemory;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// Detects waits that cannot complete because processes have left or died.
final class Peers {
    /// The part of an error text, after `has`, which states that a process has died.
    private static final String DIED_TEXT = " ended without Mpi.close";

    /// The minimum interval of liveness checks. A system query for each process costs as much as a hundred
    /// messages.
    private static final long DEATHS_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Segment segment;
    private final Progress progress;
    private final Bells bells;
    private final JobFailure failure;
    private final int me;

    /// The first thread of this rank that started an operation; the next field states whether other threads
    /// have started operations since. The two fields are accessed under the lock.
    private @Nullable Thread caller;

    private boolean manyCallers;

    /// The communicator that connects this job with a different job, whose processes this job's launcher does
    /// not watch; null without a connection.
    private volatile @Nullable ShmPort connection;

    private volatile long checkedNanos = System.nanoTime();

    /// The status in which the launcher publishes dead ranks; null if the job does not survive the death of
    /// ranks.
    private final @Nullable JobStatus status;

    /// The number of deaths that this rank has handled. It is changed under the lock.
    private volatile long handledDeaths;

    private final BitSet dead = new BitSet();

    Peers(Segment segment, Progress progress, Bells bells, JobFailure failure, int me, @Nullable JobStatus status) {
        this.bells = bells;
        this.status = status;
        this.segment = segment;
        this.progress = progress;
        this.failure = failure;
        this.me = me;
    }

    /// Records that the calling thread starts an operation. Called under the lock.
    void noteCaller() {
        Thread thread = Thread.currentThread();
        if (caller == thread) return;
        if (caller == null) caller = thread;
        else manyCallers = true;
    }

    /// Returns whether several threads of this rank have started operations. Called under the lock.
    boolean areManyCallers() {
        return manyCallers;
    }

    /// Records a connection of several jobs. All communicators of the connected processes fail when one of
    /// these processes dies.
    void connected(ShmPort all) {
        connection = all;
    }

    /// Fails activities that wait for dead ranks, if the job survives the death of ranks.
    void handleDeaths() {
        JobStatus b = status;
        if (b == null || b.losses() == handledDeaths) return;
        progress.lock().lock();
        try {
            long seen = b.losses();
            for (int r = 0; r < b.size(); r++) {
                if (r == me || dead.get(r) || !b.isLost(r)) continue;
                dead.set(r);
                segment.markDead(r);
                progress.handleDeath(r);
            }
            handledDeaths = seen;
        } finally {
            progress.lock().unlock();
        }
    }

    /// Returns the fault of a waiting probe on a communicator that survives the death of a rank; null if no
    /// death concerns the probe. After new deaths, the next waiting probe of this rank with ANY_SOURCE on such a
    /// communicator fails, and later ones wait. A probe for a dead rank always fails, and so
    /// does every waiting probe after a death on a communicator for which [CommPort#failsTogether] is true.
    @Nullable
    Fault rankDeath(ShmTransfer pattern) {
        ShmPort port = (ShmPort) pattern.port();
        if (handledDeaths == 0) return null;
        progress.lock().lock();
        try {
            int deadRanks = progress.deadRanks.in(port);
            boolean isNew = pattern.peer == Transfer.ANY_SOURCE && port.reportDeaths(deadRanks);
            boolean isOfDead = pattern.peer >= 0 && dead.get(port.process(pattern.peer)) && port.outlivesRanks();
            boolean never = isOfDead || deadRanks > 0 && port.failsTogether();
            if (!isNew && !never) return null;
        } finally {
            progress.lock().unlock();
        }
        String detail = "a rank has died that could send a message";
        return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, pattern.operation, detail, port);
    }

    /// Returns the fault for a dead process of a different job, or null. Checks at most once per interval.
    @Nullable
    Fault death() {
        ShmPort all = connection;
        if (all == null) return null;
        long now = System.nanoTime();
        if (now - checkedNanos < DEATHS_APART_NANOS) return null;
        checkedNanos = now;
        for (int r = 0; r < all.processes(); r++) {
            int process = all.process(r);
            if (process == me || !segment.hasDied(process)) continue;
            return Fault.job(
                    PredefinedErrorClass.ERR_PROC_FAILED,
                    "connection",
                    all.describeRank(r) + " has" + DIED_TEXT
                            + "; all communicators with the group of this process have failed",
                    all);
        }
        return null;
    }

    /// Throws unless the calling thread may access the activity's memory: only the memory's owner thread can
    /// complete the activity.
    static void checkOwner(Activity activity) {
        boolean isForeign = switch (activity.family) {
            case TRANSFER -> ((ShmTransfer) activity).isOwnedByOther();
            case COLLECTIVE -> ((ShmCollective) activity).isOwnedByOther();
        };
        if (isForeign)
            throw ConfinedMemory.refusal(activity, " of another thread, and only that thread can wait for it");
    }

    /// Returns why none of the first `count` activities can complete; null if one of these may complete.
    @Nullable
    Fault allUnreachable(Activity[] activities, int count) {
        Fault first = null;
        for (int i = 0; i < count; i++) {
            Fault never = unreachable(activities[i]);
            if (never == null) return null;
            if (first == null) first = never;
        }
        return first;
    }

    /// Returns why a wait cannot complete, or null. A rank that has left sends and receives no more messages.
    /// If ranks have made different collective calls, this may be the cause of the wait, so the difference is
    /// reported first.
    @Nullable
    Fault unreachable(Activity activity) {
        Transfer t;
        progress.lock().lock();
        try {
            Fault differs = progress.contradiction();
            if (differs != null) {
                failure.report(differs);
                return differs;
            }
            t = awaited(activity);
            if (t == null || !hasLeft(t)) {
                Fault death = death();
                return death == null || move() || activity.isDone() ? null : death;
            }
            int peer = t.peer;
            // data that has been sent may still be in transit; if the activity now waits for a different rank,
            // the check above does not apply to that rank
            if (move()) return null;
            t = awaited(activity);
            if (t == null || t.peer != peer) return null;
        } finally {
            progress.lock().unlock();
        }
        String detail = t.peer == Transfer.ANY_SOURCE
                ? "waits for a message from any rank, but all other ranks have" + JobStatus.LEFT_TEXT + " and send"
                : "waits for " + t.port().describeRank(t.peer) + ", which has" + how(t) + " and "
                        + (t.kind == Transfer.Kind.SEND ? "receives" : "sends");
        return Fault.job(
                PredefinedErrorClass.ERR_PROC_FAILED,
                activity.operation,
                detail + " no more messages",
                activity.port());
    }

    /// Makes progress under the lock. Returns whether anything moved.
    private boolean move() {
        boolean moved = progress.move();
        if (moved) bells.ring(me); // a different thread's activity may be complete
        return moved;
    }

    private String how(Transfer t) {
        return segment.hasDied(((ShmPort) t.port()).process(t.peer)) ? DIED_TEXT : JobStatus.LEFT_TEXT;
    }

    /// Returns why a wait for other ranks cannot complete, or null.
    @Nullable
    Fault unreachable(LocalWait wait) {
        Fault left = hasLeft(wait);
        if (left != null) return left;
        Fault death = death();
        return death == null || wait.isOver() ? null : death;
    }

    private @Nullable Fault hasLeft(LocalWait wait) {
        int[] awaited = wait.awaited();
        CommPort port = wait.port();
        if (awaited == null || port == null) return null;
        for (int rank : awaited) {
            if (rank == port.rank() || !segment.hasLeftOrDied(port.process(rank)) || wait.isOver()) continue;
            // the effects of the rank's last actions may be visible only now: the wait may be over, or may be
            // for a different rank
            if (!isAwaited(rank, wait)) continue;
            String how = segment.hasDied(port.process(rank)) ? DIED_TEXT : JobStatus.LEFT_TEXT;
            return Fault.job(
                    PredefinedErrorClass.ERR_PROC_FAILED,
                    wait.operation(),
                    "waits for " + port.describeRank(rank) + ", which has" + how + ", in " + wait.what(),
                    port);
        }
        return null;
    }

    private static boolean isAwaited(int rank, LocalWait wait) {
        int[] awaited = wait.awaited();
        return awaited != null && Arrays.stream(awaited).anyMatch(r -> r == rank);
    }

    /// Returns the message that `activity` needs to continue, or null if this message has arrived. Called under
    /// the lock.
    private static @Nullable Transfer awaited(Activity activity) {
        Transfer t = switch (activity.family) {
            case TRANSFER -> (Transfer) activity;
            case COLLECTIVE -> ((ShmCollective) activity).waitingFor();
        };
        return t == null || t.isDone() ? null : t;
    }

    /// Returns whether all ranks that could complete this message have left. A receive from any source could
    /// still match a message from a second thread of this rank. For such a receive, this method therefore
    /// returns false if several threads of this rank have started operations, or if a second thread could start
    /// one. The second condition is not checked if ranks are threads, because it is unknown to which rank the
    /// other threads belong.
    private boolean hasLeft(Transfer t) {
        ShmPort port = (ShmPort) t.port();
        if (t.peer != Transfer.ANY_SOURCE) {
            int peer = port.process(t.peer);
            return peer != me && segment.hasLeftOrDied(peer);
        }
        if (manyCallers || port.size() == 1) return false;
        int first = port.peerBase();
        for (int r = first; r < first + port.peerSize(); r++) {
            if (r != port.rank() && !segment.hasLeftOrDied(port.process(r))) return false;
        }
        Thread own = Thread.currentThread();
        return bells.areOfThreads() || CallingThreads.otherCallers(thread -> thread == own) == 0;
    }
}
