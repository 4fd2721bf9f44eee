package org.tutti.launch.watch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tutti.job.status.BlockedCall;
import org.tutti.launch.JobText;

/// Formats the messages about stalls and deadlocks.
final class StallText {
    private static final long NEVER = Long.MAX_VALUE;

    /// After waits of this duration, the page no longer assumes that a deadlock may still be detected.
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int MOST_CAUSES = 3;

    private StallText() {}

    /// Ranks with the same message except for the time.
    private static final class Group {
        final BitSet ranks = new BitSet();
        long sinceNanos = NEVER;
    }

    /// Returns one line for each group of ranks with the same state and pending call.
    static List<String> page(WaitSnapshot snapshot, ProcessMonitor processes, List<RankActivity> doings) {
        Map<String, Group> groups = new LinkedHashMap<>();
        for (int r = 0; r < snapshot.size(); r++) {
            if (!snapshot.isWaiting(r)) add(groups, state(snapshot, r, doings.get(r)), r, NEVER);
            String stopped = snapshot.isWaiting(r) && processes.isStopped(r) ? "; stopped by a signal" : "";
            for (BlockedCall wait : snapshot.waits(r)) {
                long since = wait.blocksAThread() ? wait.sinceNanos() : NEVER;
                add(groups, waiting(snapshot, r, wait) + stopped, r, since);
            }
        }
        List<String> lines = new ArrayList<>();
        groups.forEach((text, group) -> {
            String since =
                    group.sinceNanos == NEVER ? "" : " for " + JobText.seconds(snapshot.atNanos() - group.sinceNanos);
            lines.add(JobText.ranks(group.ranks) + ": " + text.replace(SINCE, since));
        });
        return lines;
    }

    /// Describes a wait for ranks of other worlds, for processes that start, or for computation.
    private static final String NO_RANK = "an event outside this world";

    private static boolean isForNoRank(WaitSnapshot snapshot, BlockedCall wait) {
        return snapshot.awaited(wait).isEmpty();
    }

    /// Marks the position of the time in a group's message.
    private static final String SINCE = "\0";

    private static void add(Map<String, Group> groups, String text, int rank, long sinceNanos) {
        Group group = groups.computeIfAbsent(text, t -> new Group());
        group.ranks.set(rank);
        if (group.sinceNanos == NEVER || sinceNanos - group.sinceNanos < 0) group.sinceNanos = sinceNanos;
    }

    /// Returns the activity of a rank, in a form that can follow `rank 3:` and `rank 3, which is`.
    static String state(WaitSnapshot snapshot, int rank, RankActivity doing) {
        return switch (snapshot.state(rank)) {
            case ABSENT, STARTED -> "before Mpi.init, " + doing.words();
            case JOINING -> "in Mpi.init, " + doing.words();
            case JOINED -> doing.words();
            case LEFT -> "finished (Mpi.close)";
            case FAILED -> "failed";
        };
    }

    /// Returns `ranks 0-2 wait for rank 3, which is asleep (Thread.sleep) at Halo.java:40`: the waiting ranks,
    /// the ranks that ultimately delay the job, and the activity of the delaying ranks. If all awaited ranks are
    /// waiting, too, returns for example `ranks 0 and 1 wait for each other`. Empty if no rank is waiting.
    static String conclusion(WaitSnapshot snapshot, List<RankActivity> doings) {
        BitSet waiting = waiting(snapshot);
        if (waiting.isEmpty()) return "";
        Map<String, BitSet> causes = causes(snapshot, waiting, doings);
        if (causes.isEmpty()) return amongThemselves(snapshot, waiting);
        StringBuilder text = new StringBuilder();
        int count = 0;
        for (Map.Entry<String, BitSet> cause : causes.entrySet()) {
            if (count++ == MOST_CAUSES) {
                text.append("; and ").append(causes.size() - MOST_CAUSES).append(" more");
                break;
            }
            BitSet ranks = cause.getValue();
            if (!text.isEmpty()) text.append("; ");
            text.append(JobText.wait(waitingFor(snapshot, waiting, ranks)))
                    .append(" for ")
                    .append(JobText.ranks(ranks));
            text.append(ranks.cardinality() == 1 ? ", which is " : ", which are ")
                    .append(cause.getKey());
        }
        return text.toString();
    }

    /// Whether ranks wait for events that no rank of this world causes, and all awaited ranks are waiting, too.
    /// Such a wait may be intended.
    static boolean isForNoRank(WaitSnapshot snapshot, List<RankActivity> doings) {
        BitSet waiting = waiting(snapshot);
        return causes(snapshot, waiting, doings).isEmpty()
                && !waitingForNoRank(snapshot, waiting).isEmpty();
    }

    private static BitSet waiting(WaitSnapshot snapshot) {
        BitSet waiting = new BitSet();
        for (int r = 0; r < snapshot.size(); r++) if (snapshot.isWaiting(r)) waiting.set(r);
        return waiting;
    }

    /// Returns the awaited ranks that do not wait themselves, grouped by activity.
    private static Map<String, BitSet> causes(WaitSnapshot snapshot, BitSet waiting, List<RankActivity> doings) {
        Map<String, BitSet> causes = new LinkedHashMap<>();
        for (int r = 0; r < snapshot.size(); r++) {
            if (waiting.get(r) || !isAwaited(snapshot, waiting, r)) continue;
            causes.computeIfAbsent(state(snapshot, r, doings.get(r)), w -> new BitSet())
                    .set(r);
        }
        return causes;
    }

    private static BitSet waitingForNoRank(WaitSnapshot snapshot, BitSet waiting) {
        BitSet outside = new BitSet();
        waiting.stream()
                .filter(r -> snapshot.waits(r).stream().anyMatch(w -> isForNoRank(snapshot, w)))
                .forEach(outside::set);
        return outside;
    }

    private static String amongThemselves(WaitSnapshot snapshot, BitSet waiting) {
        BitSet outside = waitingForNoRank(snapshot, waiting);
        if (!outside.isEmpty()) {
            outside.or(waitingFor(snapshot, waiting, outside));
            return JobText.wait(outside) + " for " + NO_RANK;
        }
        BitSet withOtherThreads = new BitSet();
        waiting.stream().filter(r -> snapshot.otherThreads(r) > 0).forEach(withOtherThreads::set);
        String all = JobText.wait(waiting) + (waiting.cardinality() == 1 ? " for itself" : " for each other");
        boolean mayMove = waiting.stream()
                .anyMatch(r -> snapshot.waits(r).stream().anyMatch(w -> w.note().equals(BlockedCall.MOVES)));
        if (withOtherThreads.isEmpty()) return all + (mayMove ? ", unless data is still in transit" : "");
        return all + ", unless another thread of " + JobText.ranks(withOtherThreads) + " makes a call";
    }

    /// Returns the reason why the launcher does not end ranks that wait for each other, as a line of the page.
    /// Empty if no rank is waiting, if an awaited rank is not waiting itself, or if a deadlock may still be
    /// detected.
    static String unproven(WaitSnapshot snapshot, List<RankActivity> doings) {
        BitSet waiting = waiting(snapshot);
        if (waiting.isEmpty() || !causes(snapshot, waiting, doings).isEmpty()) return "";
        BitSet withOtherThreads = new BitSet(), poll = new BitSet();
        for (int r = waiting.nextSetBit(0); r >= 0; r = waiting.nextSetBit(r + 1)) {
            if (snapshot.polls(r)) poll.set(r);
            if (snapshot.otherThreads(r) > 0) withOtherThreads.set(r);
        }
        String why;
        if (!poll.isEmpty()) why = JobText.ranks(poll) + (poll.cardinality() == 1 ? " polls" : " poll");
        else if (!withOtherThreads.isEmpty())
            why = "another thread of " + JobText.ranks(withOtherThreads) + " may make a call";
        else if (snapshot.longestNanos() < LONG_NANOS) return ""; // may be detected soon
        else why = "it is not certain that they wait forever";
        return "the job continues, because " + why;
    }

    private static boolean isAwaited(WaitSnapshot snapshot, BitSet waiting, int rank) {
        for (int r = waiting.nextSetBit(0); r >= 0; r = waiting.nextSetBit(r + 1)) {
            for (BlockedCall wait : snapshot.waits(r))
                if (snapshot.awaited(wait).get(rank)) return true;
        }
        return false;
    }

    /// Returns the ranks of `waiting` that wait, directly or indirectly, for one of `ranks`.
    private static BitSet waitingFor(WaitSnapshot snapshot, BitSet waiting, BitSet ranks) {
        BitSet reached = (BitSet) ranks.clone();
        for (boolean more = true; more; ) {
            more = false;
            for (int r = waiting.nextSetBit(0); r >= 0; r = waiting.nextSetBit(r + 1)) {
                if (reached.get(r)) continue;
                for (BlockedCall wait : snapshot.waits(r))
                    if (snapshot.awaited(wait).intersects(reached)) reached.set(r);
                more |= reached.get(r);
            }
        }
        reached.and(waiting);
        return reached;
    }

    private static String waiting(WaitSnapshot snapshot, int rank, BlockedCall wait) {
        StringBuilder text = new StringBuilder(wait.what());
        text.append(wait.blocksAThread() ? SINCE : ", in the background");
        text.append(", waits for ").append(awaited(snapshot, rank, wait));
        if (!wait.line().isEmpty()) text.append(" (").append(wait.line()).append(')');
        if (!wait.note().isEmpty()) text.append("; ").append(wait.note());
        long others = snapshot.otherThreads(rank);
        if (others > 0) text.append("; ").append(others).append(others == 1 ? " other thread" : " other threads");
        return text.toString();
    }

    private static String awaited(WaitSnapshot snapshot, int rank, BlockedCall wait) {
        if (isForNoRank(snapshot, wait)) return NO_RANK;
        BitSet late = snapshot.missing(wait);
        if (!late.isEmpty()) return JobText.ranks(late);
        BitSet others = (BitSet) wait.wakers().clone();
        if (others.cardinality() == 1) return JobText.ranks(others);
        others.clear(rank);
        return others.cardinality() == 1 ? JobText.ranks(others) : "any of " + JobText.ranks(others);
    }

    /// Returns `deadlock: 0 recv←1 (A.java:41) → 1 recv←0 (B.java:17) → 0`: a cycle of `ranks` in which each
    /// rank waits for the next. If a rank waits only for ranks outside of `ranks`, the text is a chain that ends
    /// with `ranks that have left`.
    static String deadlock(WaitSnapshot snapshot, BitSet ranks) {
        List<Integer> way = new ArrayList<>();
        int at = ranks.nextSetBit(0);
        while (at >= 0 && !way.contains(at)) {
            way.add(at);
            at = next(snapshot, ranks, at);
        }
        StringBuilder text = new StringBuilder("deadlock: ");
        List<Integer> cycle = at < 0 ? way : fromSmallest(way.subList(way.indexOf(at), way.size()));
        for (int i = 0; i < cycle.size(); i++) {
            int then = i + 1 < cycle.size() ? cycle.get(i + 1) : at < 0 ? -1 : cycle.getFirst();
            text.append(step(snapshot, cycle.get(i), then)).append(" → ");
        }
        text.append(at < 0 ? "ranks that have left" : cycle.getFirst());
        return text.toString();
    }

    private static List<Integer> fromSmallest(List<Integer> cycle) {
        int smallest = 0;
        for (int i = 1; i < cycle.size(); i++) if (cycle.get(i) < cycle.get(smallest)) smallest = i;
        List<Integer> turned = new ArrayList<>(cycle.subList(smallest, cycle.size()));
        turned.addAll(cycle.subList(0, smallest));
        return turned;
    }

    private static BlockedCall first(WaitSnapshot snapshot, int rank) {
        return snapshot.waits(rank).stream()
                .filter(BlockedCall::blocksAThread)
                .findFirst()
                .orElseThrow();
    }

    /// Returns a rank in `ranks` for which the first waiting thread of `rank` waits; -1 if this thread waits only
    /// for ranks outside of `ranks`, of which at least one has left. Returns `rank` only if this thread waits for
    /// no other rank.
    private static int next(WaitSnapshot snapshot, BitSet ranks, int rank) {
        BitSet awaited = (BitSet) snapshot.awaited(first(snapshot, rank)).clone();
        if (awaited.cardinality() > 1) awaited.clear(rank);
        awaited.and(ranks);
        int after = awaited.nextSetBit(rank + 1);
        return after >= 0 ? after : awaited.nextSetBit(0);
    }

    private static String step(WaitSnapshot snapshot, int rank, int next) {
        BlockedCall wait = first(snapshot, rank);
        BitSet wakers = wait.wakers();
        String awaited = wakers.cardinality() == 1 ? Integer.toString(wakers.nextSetBit(0)) : "any";
        if (!snapshot.missing(wait).isEmpty())
            awaited = Integer.toString(next < 0 ? snapshot.missing(wait).nextSetBit(0) : next);
        String line = wait.line().isEmpty() ? "" : " (" + wait.line() + ")";
        return rank + " " + wait.operation() + (wait.sends() ? "→" : "←") + awaited + line;
    }
}
