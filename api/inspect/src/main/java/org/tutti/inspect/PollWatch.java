package org.tutti.inspect;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.job.status.BlockedCall;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

/// Detects that a rank polls: a thread calls only `test` or `iprobe` repeatedly, or waits for the
/// `CompletionStage` of a request, which the rank's progress thread tests. An unsuccessful poll does not count
/// as progress, so a rank that only polls is reported like a rank that waits in a call. Polling is never part of
/// a proven deadlock, because the polling thread can act at any time.
///
/// A thread that computes between two polls does more than poll. Therefore a thread counts as polling only if it
/// uses no more processor time than the polls need, or if it has been found asleep between polls and uses less
/// than a quarter of the elapsed time. (On a busy machine, a computing thread can get as little processor time,
/// but it is never asleep.) In addition, no other thread of the program may be running. If the JVM does not
/// report processor times, and for virtual threads, polling is not detected. A rank that polls for work, as a
/// thread of a pool does, is not reported. A thread in a blocking call does not poll, although some calls test
/// several requests in turn.
final class PollWatch {
    /// The maximum processor time of a poll and the loop around it.
    private static final long POLL_NANOS = 3_000, LIBRARY_POLL_NANOS = 10_000;

    private static final int SHARE = 4;

    /// The time for which the last poll is stored. It is longer than programs sleep between two polls.
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /// The name of the thread that tests requests for which a stage exists.
    private static final String PROGRESS = "mpi-progress";

    private final Callers callers;
    private final long pollNanos;
    private final Predicate<Thread> isForeign;

    private long polls;
    private long moves = -1;
    private long atNanos;
    private long lastPollNanos;
    private long usedNanos;
    private @Nullable Thread poller;

    /// The thread that waits for a stage; null if no thread does.
    private @Nullable Thread waiter;

    private long sinceNanos;

    /// The polled call according to the state of the threads, and the polled call that is reported.
    private @Nullable BlockedCall found, reported;

    /// @param isForeign returns whether a thread is a thread of a different rank
    PollWatch(Callers callers, boolean isLibrary, Predicate<Thread> isForeign) {
        this.isForeign = isForeign;
        this.callers = callers;
        pollNanos = isLibrary ? LIBRARY_POLL_NANOS : POLL_NANOS;
    }

    /// Reads the state of the threads. Called once per second, before [#poll], without the progress lock,
    /// because this method is too slow to hold the lock.
    ///
    /// @param blocked the threads that are blocked in calls
    void readThreads(List<Caller> blocked) {
        Thread thread = callers.poller;
        Activity activity = callers.polled;
        long count = callers.polls, now = System.nanoTime();
        long used = thread == null || thread.isVirtual() ? 0 : ThreadTime.usedNanos(thread);
        boolean isSame = thread == poller && used > 0 && usedNanos > 0;
        long busy = used - usedNanos, some = count - polls;
        boolean spins = busy <= some * pollNanos;
        boolean sleeps = busy < (now - atNanos) / SHARE && (reported != null || thread != null && isAsleep(thread));
        boolean polled = isSame && some > 0 && (spins || sleeps);
        if (!isSame) sinceNanos = now;
        polls = count;
        atNanos = now;
        usedNanos = used;
        poller = thread;
        if (some > 0) lastPollNanos = now;
        if (thread != null && (!thread.isAlive() || now - lastPollNanos > KEPT_NANOS)) {
            callers.forgetPoll();
            poller = null;
        }
        if (!polled || activity == null || activity.port().isIdle()) found = null;
        else if (thread == null || isBlocked(thread, blocked) || !isAllThatRuns(thread, blocked)) found = null;
        else found = reported == null ? describe(activity, thread) : reported;
    }

    /// Returns the call for which the rank polls; null if the rank does not poll, and in the first round.
    ///
    /// @param moved the number of messages and calls of the rank
    @Nullable
    BlockedCall poll(long moved) {
        if (moved != moves) {
            sinceNanos = atNanos;
            found = null;
        }
        moves = moved;
        reported = found;
        if (reported == null) waiter = null;
        return reported;
    }

    /// Returns whether the threads poll, according to [#readThreads]. The rank may nevertheless have made
    /// progress.
    boolean finds() {
        return found != null;
    }

    /// Returns whether this thread polls, or waits for the stage of a polled request.
    boolean contains(Thread thread) {
        return found != null && (thread == poller || thread == waiter);
    }

    private static boolean isAsleep(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.TIMED_WAITING || state == Thread.State.WAITING;
    }

    private boolean isAllThatRuns(Thread thread, List<Caller> blocked) {
        Predicate<Thread> isKnown = t -> t == thread || isForeign.test(t) || isBlocked(t, blocked);
        boolean isRunning = OtherThreads.isAnyRunning(isKnown);
        if (isRunning || !thread.getName().equals(PROGRESS)) return !isRunning;
        List<Thread> waiting = OtherThreads.waiting(isKnown);
        waiter = waiting.isEmpty() ? null : waiting.getFirst();
        return waiter != null;
    }

    private static boolean isBlocked(Thread thread, List<Caller> blocked) {
        for (Caller c : blocked) if (c.thread == thread) return true;
        return false;
    }

    private BlockedCall describe(Activity activity, Thread thread) {
        BitSet wakers = new BitSet();
        String what = switch (activity) {
            case Transfer t -> {
                WaitText.addWakers(t, wakers);
                yield WaitText.what(t);
            }
            case Collective c -> {
                CommPort port = c.port();
                if (!port.isOfSeveralWorlds()) wakers.or(WaitText.others(port));
                yield WaitText.what(c);
            }
        };
        Thread stage = waiter;
        String line = UserLine.of(stage == null ? thread : stage);
        boolean sends = activity instanceof Transfer t && t.kind == Transfer.Kind.SEND;
        String how = stage == null ? "polls " : "stage of ";
        return new BlockedCall(
                activity.operation, how + what, line, sends, sinceNanos, 1, wakers, BlockedCall.Call.POLLED);
    }
}
