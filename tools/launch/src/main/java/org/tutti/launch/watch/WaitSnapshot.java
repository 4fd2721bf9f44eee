package org.tutti.launch.watch;

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

/// What all ranks wait for, at one look at the board; and what follows from two looks.
///
/// A rank is blocked when each of its threads, and each collective call that it has in the background,
/// waits for what only certain ranks can do. Ranks that are blocked, all of them by each other or by
/// ranks that have left, are so for ever: docs/decisions/23 has the argument, and why one look is not
/// enough.
final class WaitSnapshot {
    /// So many more looks of its own, each of which found nothing, tell that the last one began after our
    /// first.
    private static final int LOOKS_BETWEEN = 2;

    private final long atNanos;
    private final State[] states;
    private final WaitPage.@Nullable Seen[] pages;

    /// By collective call that is waited in: who has to make it, too, and has not.
    private final Map<BlockedCall.Call, BitSet> missing = new HashMap<>();

    private WaitSnapshot(long atNanos, State[] states, WaitPage.@Nullable Seen[] pages) {
        this.atNanos = atNanos;
        this.states = states;
        this.pages = pages;
    }

    static WaitSnapshot at(JobStatus board) {
        State[] states = new State[board.size()];
        WaitPage.@Nullable Seen[] pages = new WaitPage.@Nullable Seen[board.size()];
        long now = System.nanoTime();
        for (int r = 0; r < board.size(); r++) {
            states[r] = board.state(r);
            pages[r] = board.waits(r).read();
        }
        WaitSnapshot look = new WaitSnapshot(now, states, pages);
        look.findMissing(board);
        return look;
    }

    private void findMissing(JobStatus board) {
        for (int r = 0; r < size(); r++) {
            for (BlockedCall wait : waits(r)) {
                BlockedCall.Call call = wait.call();
                if (!call.isCollective() || missing.containsKey(call)) continue;
                BitSet late = new BitSet();
                call.needs().stream()
                        .filter(rank -> {
                            long calls = board.flight(rank).calls(call.comm());
                            return calls >= 0 && calls < call.number();
                        })
                        .forEach(late::set);
                missing.put(call, late);
            }
        }
    }

    /// Of a wait in a collective call, the ranks that have to make it, too, and had not after this look;
    /// nobody for other waits, and where that is not known.
    BitSet missing(BlockedCall wait) {
        return missing.getOrDefault(wait.call(), new BitSet());
    }

    /// Whom it depends on that the wait ends: each of those who are missing in a call; else what one of
    /// the wakers does.
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

    /// What the rank waits for; nothing when it has left, or when its page could not be read.
    List<BlockedCall> waits(int rank) {
        WaitPage.Seen page = pages[rank];
        return page == null || states[rank] != State.JOINED ? List.of() : page.waits();
    }

    boolean isWaiting(int rank) {
        return waits(rank).stream().anyMatch(BlockedCall::blocksAThread);
    }

    /// Threads of the rank that may make calls at any time.
    long otherThreads(int rank) {
        WaitPage.Seen page = pages[rank];
        return page == null ? 1 : page.others();
    }

    /// Whether a thread of the rank polls instead of waiting in a call.
    boolean polls(int rank) {
        return waits(rank).stream().anyMatch(BlockedCall::isPolled);
    }

    /// How long the oldest wait of the job has lasted; 0 without any.
    long longestNanos() {
        long longest = 0;
        for (int r = 0; r < size(); r++) {
            for (BlockedCall wait : waits(r)) {
                if (wait.blocksAThread()) longest = Math.max(longest, atNanos - wait.sinceNanos());
            }
        }
        return longest;
    }

    /// Whether no rank has moved a message, begun or ended a wait, or come or gone, since `before`.
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
                .map(BlockedCall::withoutLooks)
                .toList()
                .equals(then.waits().stream().map(BlockedCall::withoutLooks).toList());
    }

    /// The largest set of ranks that are blocked by each other, or by ranks that have left, and that have
    /// been so from the look `before` on; often empty.
    ///
    /// @param limitNanos how long their waits have lasted at least
    BitSet blockedSince(WaitSnapshot before, long limitNanos) {
        BitSet haveLooked = new BitSet(), orNeedNot = new BitSet();
        BitSet left = new BitSet();
        for (int r = 0; r < size(); r++) {
            if (before.states[r] == State.LEFT) left.set(r);
            if (!isWaitingOnly(r, limitNanos) || !isUnchanged(r, before)) continue;
            if (hasLookedSince(r, before, wait -> true)) haveLooked.set(r);
            // no message ends a call that some rank has not made
            if (hasLookedSince(r, before, wait -> missing(wait).isEmpty())) orNeedNot.set(r);
        }
        BitSet blocked = largest(haveLooked, left, WaitSnapshot::areOnlyWokenBy);
        return blocked.isEmpty() ? largest(orNeedNot, left, this::dependOn) : blocked;
    }

    /// Why a rank with these waits is blocked, given that others are.
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

    /// By what the program has to call: each blocked thread waits for messages that only blocked ranks
    /// could begin to send or to receive, or in a collective call that a blocked rank has not made.
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

    /// By messages: no wait, and no call in the background, can be ended by anybody else.
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
        return now.moves() == then.moves() && now.others() == then.others() && sameWaits(now, then);
    }

    /// Whether all its threads whose waits are `some` have looked for messages since `before`, from beginning
    /// to end.
    private boolean hasLookedSince(int rank, WaitSnapshot before, Predicate<BlockedCall> some) {
        List<BlockedCall> now = waits(rank), then = before.waits(rank);
        for (int i = 0; i < now.size(); i++) {
            if (!now.get(i).blocksAThread() || !some.test(now.get(i))) continue;
            if (now.get(i).looks() - then.get(i).looks() < LOOKS_BETWEEN) return false;
        }
        return true;
    }
}
