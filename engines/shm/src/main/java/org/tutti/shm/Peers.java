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

/// Whether what a thread of this rank waits for can still come.
final class Peers {
    /// Of a process of another job.
    private static final String DIED_WORDS = " ended without Mpi.close";

    /// To ask the system for each of them takes as long as a hundred messages.
    private static final long DEATHS_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Segment segment;
    private final Progress progress;
    private final Bells bells;
    private final JobFailure failure;
    private final int me;

    /// The thread that called first, and whether others have called since; under the lock.
    private @Nullable Thread caller;

    private boolean manyCallers;

    /// With processes of another job, which end unseen; null where there are none.
    private volatile @Nullable ShmPort connection;

    private volatile long lookedNanos = System.nanoTime();

    /// Where the launcher says whom the job has lost; null where it outlives nobody.
    private final @Nullable JobStatus board;

    /// How many of them are known here, in all; under the lock to be changed.
    private volatile long lossesSeen;

    private final BitSet lost = new BitSet();

    Peers(Segment segment, Progress progress, Bells bells, JobFailure failure, int me, @Nullable JobStatus board) {
        this.bells = bells;
        this.board = board;
        this.segment = segment;
        this.progress = progress;
        this.failure = failure;
        this.me = me;
    }

    /// The calling thread begins something; under the lock.
    void noteCaller() {
        Thread thread = Thread.currentThread();
        if (caller == thread) return;
        if (caller == null) caller = thread;
        else manyCallers = true;
    }

    /// Whether several threads of this rank have called; under the lock.
    boolean areManyCallers() {
        return manyCallers;
    }

    /// Ranks of several jobs have met: all communicators of them fail when one of their processes dies.
    void connected(ShmPort all) {
        connection = all;
    }

    /// Ends what waits for ranks of this job that have died meanwhile, if it goes on without them.
    void takeLosses() {
        JobStatus b = board;
        if (b == null || b.losses() == lossesSeen) return;
        progress.lock().lock();
        try {
            long seen = b.losses();
            for (int r = 0; r < b.size(); r++) {
                if (r == me || lost.get(r) || !b.isLost(r)) continue;
                lost.set(r);
                segment.died(r);
                progress.lose(r);
            }
            lossesSeen = seen;
        } finally {
            progress.lock().unlock();
        }
    }

    /// That a rank has died of a communicator that outlives it: told once to who waits for a message of any rank, or
    /// of that one. Null when nothing is new.
    @Nullable
    Fault loss(ShmTransfer pattern) {
        ShmPort port = (ShmPort) pattern.port();
        if (lossesSeen == 0) return null;
        progress.lock().lock();
        try {
            int losses = progress.losses.in(port);
            boolean isNew = port.tellLosses(losses);
            boolean isOfDead = pattern.peer >= 0 && lost.get(port.process(pattern.peer)) && port.outlivesRanks();
            boolean never = isOfDead || losses > 0 && port.failsTogether();
            if (!isNew && !never) return null;
        } finally {
            progress.lock().unlock();
        }
        String what = "a rank has died that could send a message";
        return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, pattern.operation, what, port);
    }

    /// That one of them has died, where it is time to look.
    @Nullable
    Fault death() {
        ShmPort all = connection;
        if (all == null) return null;
        long now = System.nanoTime();
        if (now - lookedNanos < DEATHS_APART_NANOS) return null;
        lookedNanos = now;
        for (int r = 0; r < all.processes(); r++) {
            int process = all.process(r);
            if (process == me || !segment.hasDied(process)) continue;
            return Fault.job(
                    PredefinedErrorClass.ERR_PROC_FAILED,
                    "connection",
                    all.who(r) + " has" + DIED_WORDS + "; all communicators with its group have failed",
                    all);
        }
        return null;
    }

    /// What only another thread may touch, only that one can bring to its end.
    static void checkOwner(Activity activity) {
        boolean others = switch (activity.family) {
            case TRANSFER -> ((ShmTransfer) activity).isOthers();
            case COLLECTIVE -> ((ShmCollective) activity).isOthers();
        };
        if (others) throw ConfinedMemory.refusal(activity, " of another thread, the only one that may wait for it");
    }

    /// Why none of the first `count` activities can ever end; null when one may.
    @Nullable
    Fault hopelessAll(Activity[] activities, int count) {
        Fault first = null;
        for (int i = 0; i < count; i++) {
            Fault never = hopeless(activities[i]);
            if (never == null) return null;
            if (first == null) first = never;
        }
        return first;
    }

    /// Why a wait may last for ever; null when nothing is wrong. A rank that has left sends and receives
    /// nothing more; ranks that have posted different calls may go on to wait for anything.
    @Nullable
    Fault hopeless(Activity activity) {
        Transfer t;
        progress.lock().lock();
        try {
            Fault differs = progress.contradiction();
            if (differs != null) {
                failure.tell(differs);
                return differs;
            }
            t = awaited(activity);
            if (t == null || !hasLeft(t)) {
                Fault death = death();
                return death == null || move() || activity.isDone() ? null : death;
            }
            int peer = t.peer;
            // what was sent before may be on its way; another rank, awaited from now on, may have left only after
            // this look
            if (move()) return null;
            t = awaited(activity);
            if (t == null || t.peer != peer) return null;
        } finally {
            progress.lock().unlock();
        }
        String what = t.peer == Transfer.ANY_SOURCE
                ? "waits for a message from any rank, but all others have" + JobStatus.LEFT_WORDS + " and send"
                : "waits for " + t.port().who(t.peer) + ", which has" + how(t) + " and "
                        + (t.kind == Transfer.Kind.SEND ? "receives" : "sends");
        return Fault.job(
                PredefinedErrorClass.ERR_PROC_FAILED, activity.operation, what + " nothing more", activity.port());
    }

    /// Under the lock.
    private boolean move() {
        boolean moved = progress.move();
        if (moved) bells.ring(me); // what it has ended may be another thread's
        return moved;
    }

    private String how(Transfer t) {
        return segment.hasDied(((ShmPort) t.port()).process(t.peer)) ? DIED_WORDS : JobStatus.LEFT_WORDS;
    }

    /// The same of a wait for other ranks.
    @Nullable
    Fault hopeless(LocalWait wait) {
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
            if (rank == port.rank() || !segment.isGone(port.process(rank)) || wait.isOver()) continue;
            // what it did before it left may be seen only now, and another rank be awaited since
            if (!isAwaited(rank, wait)) continue;
            String how = segment.hasDied(port.process(rank)) ? DIED_WORDS : JobStatus.LEFT_WORDS;
            return Fault.job(
                    PredefinedErrorClass.ERR_PROC_FAILED,
                    wait.operation(),
                    "waits for " + port.who(rank) + ", which has" + how + ", in " + wait.what(),
                    port);
        }
        return null;
    }

    private static boolean isAwaited(int rank, LocalWait wait) {
        int[] awaited = wait.awaited();
        return awaited != null && Arrays.stream(awaited).anyMatch(r -> r == rank);
    }

    /// The message that `activity` cannot go on without; null when there is none, or it is here. Under the lock.
    private static @Nullable Transfer awaited(Activity activity) {
        Transfer t = switch (activity.family) {
            case TRANSFER -> (Transfer) activity;
            case COLLECTIVE -> ((ShmCollective) activity).waitingFor();
        };
        return t == null || t.isDone() ? null : t;
    }

    /// Whether everybody has left who could bring this message to its end. A receive from anybody could still
    /// get a message of this very rank, from another thread: it is left alone where several have called, or could.
    /// Of ranks that are threads nobody knows whose the other threads are.
    private boolean hasLeft(Transfer t) {
        ShmPort port = (ShmPort) t.port();
        if (t.peer != Transfer.ANY_SOURCE) {
            int peer = port.process(t.peer);
            return peer != me && segment.isGone(peer);
        }
        if (manyCallers || port.size() == 1) return false;
        int first = port.peerBase();
        for (int r = first; r < first + port.peerSize(); r++) {
            if (r != port.rank() && !segment.isGone(port.process(r))) return false;
        }
        Thread own = Thread.currentThread();
        return bells.areOfThreads() || CallingThreads.beside(thread -> thread == own) == 0;
    }
}
