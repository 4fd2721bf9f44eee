package org.tutti.launch.watch;

import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.job.status.WaitPage;

/// The pending waits of all ranks, read from the status page at one moment, and conclusions from two snapshots.
///
/// Let U be the ranks of a set S and the ranks that have left. S is blocked forever by messages if all threads of
/// the ranks in S, and all collective calls in the background, wait for operations that only ranks in U could
/// perform. S is blocked forever by program order if each thread waits for a message that only ranks in U could
/// begin to send or receive, or waits in a collective call that a rank in U has not entered.
/// docs/dev/deadlocks.md contains the proofs, which need two snapshots.
final class WaitSnapshot {
    /// The minimum number of unsuccessful polls of a thread between two snapshots. With this number, the last
    /// of these polls certainly began after the first snapshot.
    private static final int POLLS_BETWEEN = 2;

    private final long atNanos;
    private final State[] states;
    private final WaitPage.@Nullable Seen[] pages;

    /// For each collective call in which a rank waits, the required ranks that have not entered the call.
    private final Map<BlockedCall.Call, BitSet> missing = new HashMap<>();

    private WaitSnapshot(long atNanos, State[] states, WaitPage.@Nullable Seen[] pages) {
        this.atNanos = atNanos;
        this.states = states;
        this.pages = pages;
    }

    static WaitSnapshot at(JobStatus status) {
        State[] states = new State[status.size()];
        WaitPage.@Nullable Seen[] pages = new WaitPage.@Nullable Seen[status.size()];
        long now = System.nanoTime();
        for (int r = 0; r < status.size(); r++) {
            states[r] = status.state(r);
            pages[r] = status.waits(r).read();
        }
        WaitSnapshot snapshot = new WaitSnapshot(now, states, pages);
        snapshot.findMissing(status);
        return snapshot;
    }

    private void findMissing(JobStatus status) {
        for (int r = 0; r < size(); r++) {
            for (BlockedCall wait : waits(r)) {
                BlockedCall.Call call = wait.call();
                if (!call.isCollective() || missing.containsKey(call)) continue;
                missing.put(call, missing(call, status));
            }
        }
    }

    /// Returns the required ranks that have not entered the call; empty if unknown.
    private static BitSet missing(BlockedCall.Call call, JobStatus status) {
        BitSet missing = new BitSet();
        try {
            call.needs().stream()
                    .filter(rank -> {
                        long calls = status.flight(rank).calls(call.comm());
                        return calls >= 0 && calls < call.number();
                    })
                    .forEach(missing::set);
            return missing;
        } catch (UncheckedIOException e) { // a recorder cannot be mapped
            return new BitSet();
        }
    }

    /// For a wait in a collective call, returns the required ranks that had not entered the call when this
    /// snapshot was complete; empty for other waits, and if unknown.
    BitSet missing(BlockedCall wait) {
        return missing.getOrDefault(wait.call(), new BitSet());
    }

    /// Returns the ranks on which the end of the wait depends: if required ranks have not entered the
    /// collective call, all of these; otherwise the wakers, any of which can end the wait.
    BitSet awaited(BlockedCall wait) {
        BitSet late = missing(wait);
        return late.isEmpty() ? wait.wakers() : late;
    }

    int size() {
        return states.length;
    }

    long atNanos() {
        return atNanos;
    }

    State state(int rank) {
        return states[rank];
    }

    /// Returns the waits of the rank; empty before the end of `Mpi.init`, after the end of the rank, and if the
    /// rank's page of waits could not be read.
    List<BlockedCall> waits(int rank) {
        WaitPage.Seen page = pages[rank];
        return page == null || states[rank] != State.JOINED ? List.of() : page.waits();
    }

    boolean isWaiting(int rank) {
        return waits(rank).stream().anyMatch(BlockedCall::blocksAThread);
    }

    /// Returns the number of threads of the rank that may make calls at any time; 1 if the rank's page of waits
    /// could not be read.
    long otherThreads(int rank) {
        WaitPage.Seen page = pages[rank];
        return page == null ? 1 : page.otherThreads();
    }

    /// Whether a thread of the rank polls instead of waiting in a call, or waits for a `CompletionStage`.
    boolean polls(int rank) {
        return waits(rank).stream().anyMatch(BlockedCall::isPolled);
    }

    /// Returns the longest time for which a thread of the job has been waiting; 0 if no thread waits.
    long longestNanos() {
        long longest = 0;
        for (int r = 0; r < size(); r++) {
            for (BlockedCall wait : waits(r)) {
                if (wait.blocksAThread()) longest = Math.max(longest, atNanos - wait.sinceNanos());
            }
        }
        return longest;
    }

    /// Returns whether since `before` no rank has moved a message, started or ended a wait, joined or left.
    boolean isAsQuietAs(WaitSnapshot before) {
        for (int r = 0; r < size(); r++) {
            WaitPage.Seen now = pages[r], then = before.pages[r];
            if (states[r] != before.states[r] || (now == null) != (then == null)) return false;
            if (now != null && then != null && (now.pulse() != then.pulse() || !sameWaits(now, then))) return false;
        }
        return true;
    }

    private static boolean sameWaits(WaitPage.Seen now, WaitPage.Seen then) {
        return now.waits().stream()
                .map(BlockedCall::withoutPolls)
                .toList()
                .equals(then.waits().stream().map(BlockedCall::withoutPolls).toList());
    }

    /// Returns the largest set of ranks that have been blocked since the snapshot `before`, by each other or by
    /// ranks that have left; often empty.
    ///
    /// @param limitNanos the minimum duration of the waits
    BitSet blockedSince(WaitSnapshot before, long limitNanos) {
        BitSet havePolled = new BitSet(), orNeedNot = new BitSet();
        BitSet left = new BitSet();
        for (int r = 0; r < size(); r++) {
            if (before.states[r] == State.LEFT) left.set(r);
            if (!isWaitingOnly(r, limitNanos) || !isUnchanged(r, before)) continue;
            if (hasPolledSince(r, before, wait -> true)) havePolled.set(r);
            // a message cannot end a call that a required rank has not entered, so a thread in such a call need
            // not have polled for messages
            if (hasPolledSince(r, before, wait -> missing(wait).isEmpty())) orNeedNot.set(r);
        }
        BitSet blocked = largest(havePolled, left, WaitSnapshot::areOnlyWokenBy);
        return blocked.isEmpty() ? largest(orNeedNot, left, this::dependOn) : blocked;
    }

    /// A criterion by which a rank with these waits is blocked, given a set of blocked ranks.
    @FunctionalInterface
    private interface Reason {
        boolean holds(List<BlockedCall> waits, BitSet blocked, BitSet left);
    }

    private BitSet largest(BitSet still, BitSet left, Reason reason) {
        BitSet blocked = (BitSet) still.clone();
        for (boolean changed = true; changed; ) {
            changed = false;
            for (int r = blocked.nextSetBit(0); r >= 0; r = blocked.nextSetBit(r + 1)) {
                if (reason.holds(waits(r), blocked, left)) continue;
                blocked.clear(r);
                changed = true;
            }
        }
        return blocked;
    }

    /// Whether a rank is blocked by program order. Let U be the ranks that are blocked or have left. Each blocked
    /// thread waits for messages that only ranks in U could begin to send or receive, or waits in a collective
    /// call that a rank in U has not entered.
    private boolean dependOn(List<BlockedCall> waits, BitSet blocked, BitSet left) {
        for (BlockedCall wait : waits) {
            if (!wait.blocksAThread()) continue;
            BitSet late = missing(wait);
            boolean isStuck = wait.call().isCollective()
                    ? late.intersects(blocked) || late.intersects(left)
                    : wait.call().equals(BlockedCall.Call.MESSAGES) && areOnlyWokenBy(List.of(wait), blocked, left);
            if (!isStuck) return false;
        }
        return true;
    }

    /// Whether a rank is blocked by messages: only blocked ranks, or ranks that have left, can end any of these
    /// waits, including the waits of collective calls in the background.
    private static boolean areOnlyWokenBy(List<BlockedCall> waits, BitSet blocked, BitSet left) {
        for (BlockedCall wait : waits) {
            BitSet others = (BitSet) wait.wakers().clone();
            others.andNot(blocked);
            others.andNot(left);
            if (!others.isEmpty()) return false;
        }
        return true;
    }

    private boolean isWaitingOnly(int rank, long limitNanos) {
        if (!isWaiting(rank) || otherThreads(rank) != 0) return false;
        for (BlockedCall wait : waits(rank)) {
            if (wait.isPolled()) return false;
            if (wait.blocksAThread() && atNanos - wait.sinceNanos() < limitNanos) return false;
        }
        return true;
    }

    private boolean isUnchanged(int rank, WaitSnapshot before) {
        WaitPage.Seen now = pages[rank], then = before.pages[rank];
        if (now == null || then == null || states[rank] != before.states[rank]) return false;
        return now.moves() == then.moves() && now.otherThreads() == then.otherThreads() && sameWaits(now, then);
    }

    /// Whether each blocked thread of the rank has started and completed a poll for messages since the snapshot
    /// `before`. Considers only the threads with a wait that matches `some`.
    private boolean hasPolledSince(int rank, WaitSnapshot before, Predicate<BlockedCall> some) {
        List<BlockedCall> now = waits(rank), then = before.waits(rank);
        for (int i = 0; i < now.size(); i++) {
            if (!now.get(i).blocksAThread() || !some.test(now.get(i))) continue;
            if (now.get(i).polls() - then.get(i).polls() < POLLS_BETWEEN) return false;
        }
        return true;
    }
}
