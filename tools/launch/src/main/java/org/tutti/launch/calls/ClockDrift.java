package org.tutti.launch.calls;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.spi.Collective;

/// How far the clocks of other hosts have run away from rank 0's since they were compared in `Mpi.init`, by
/// what cannot be: that a message is received before it is sent, or that a rank leaves a barrier before
/// another has come.
///
///     host a   ─────● sent─────────────● received──▶    each message to b says that b's drift is at least …,
///     host b   ─────────▶● received──● sent────────▶    each to a that it is at most so many ns a second
///
/// A clock is taken to drift evenly, and by the least that all of this allows: none, where nothing speaks
/// against it, and so much that the quickest message takes no time where something does. Only what is later
/// than half of the time counts, because an error of the comparison would be made many times larger from its
/// first seconds.
final class ClockDrift {
    /// No message is quicker.
    private static final long FASTEST_NANOS = 1_000;

    private static final Collective.Kind[] KINDS = Collective.Kind.values();

    /// Of a host's clock, in ns of drift for each ns.
    private static final class Bounds {
        private double least = Double.NEGATIVE_INFINITY;
        private double most = Double.POSITIVE_INFINITY;

        double rate() {
            // what one evenly drifting clock cannot explain is divided
            return least > most ? (least + most) / 2 : Math.clamp(0, least, most);
        }
    }

    private final String home;
    private final Map<String, Bounds> hosts = new TreeMap<>();

    /// Of each rank's time, what is too early to count.
    private final Map<CallFile, Long> from = new HashMap<>();

    private ClockDrift(JobCalls job) {
        home = job.ranks().getFirst().host();
        long longest = 0;
        for (CallFile file : job.ranks()) longest = Math.max(longest, lastCall(file) - file.began());
        for (CallFile file : job.ranks()) from.put(file, file.began() + longest / 2);
    }

    private static long lastCall(CallFile file) {
        return file.records() == 0 ? file.began() : file.begin(file.records() - 1);
    }

    /// Corrects the times of all ranks. Returns of each host whose clock has drifted how far it has until its
    /// last call.
    static Map<String, Long> correct(JobCalls job) {
        Map<String, Long> drifts = new TreeMap<>();
        // without rank 0 there is nothing to compare with
        if (job.ranks().isEmpty() || job.ranks().getFirst().rank() != 0) return drifts;
        ClockDrift drift = new ClockDrift(job);
        if (job.ranks().stream().allMatch(file -> file.host().equals(drift.home))) return drifts;
        MessagePairs.match(job, drift::message);
        MatchedCollectives.match(job, drift::meet);
        for (CallFile file : job.ranks()) {
            Bounds bounds = drift.hosts.get(file.host());
            double rate = bounds == null ? 0 : bounds.rate();
            if (rate == 0) continue;
            long nanos = Math.round((lastCall(file) - file.began()) * rate);
            drifts.merge(file.host(), nanos, (a, b) -> Math.abs(a) > Math.abs(b) ? a : b);
            file.drifts(rate);
        }
        return drifts;
    }

    private void message(CallFile from, int send, CallFile to, int receive) {
        int waiter = waiter(to, receive);
        if (waiter >= 0) order(from, from.begin(send), to, to.end(waiter));
    }

    /// The record of the call whose end says that what `record` does is done; -1 if there is none.
    private static int waiter(CallFile file, int record) {
        int waiter = Lateness.waiter(file, record);
        return waiter >= 0 && file.hasEnded(waiter) ? waiter : -1;
    }

    /// Only of calls whose end tells of others' begin whatever the amounts of each rank are.
    private void meet(List<MatchedCollectives.Part> parts, long call) {
        MatchedCollectives.Part some =
                parts.stream().filter(p -> p.record() >= 0).findFirst().orElse(null);
        if (some == null || some.file().kind(some.record()) != Kind.COLLECTIVE) return;
        Collective.Kind kind = KINDS[some.file().code(some.record())];
        // between two groups a rank waits for the other group alone
        boolean isOfOneGroup = some.file().lane(some.record()) == 0;
        boolean moves = kind == Collective.Kind.BARRIER || some.file().bytes(some.record()) > 0;
        if (!isOfOneGroup || !moves) return;
        int root = some.file().peer(some.record());
        switch (kind) {
            case BARRIER, ALLREDUCE -> order(parts, -1, -1);
            case BCAST -> order(parts, root, -1);
            case REDUCE -> order(parts, -1, root);
            case GATHER,
                    SCATTER,
                    ALLGATHER,
                    ALLTOALL,
                    ALLTOALLW,
                    REDUCE_SCATTER,
                    SCAN,
                    EXSCAN,
                    NEIGHBOR_ALLGATHER,
                    NEIGHBOR_ALLTOALL,
                    NEIGHBOR_ALLTOALLW -> {}
        }
    }

    /// Those of `before` begin before those of `after` end; -1 for all.
    private void order(List<MatchedCollectives.Part> parts, int before, int after) {
        MatchedCollectives.Part last = null, first = null;
        long lastBegin = 0, firstEnd = 0;
        for (MatchedCollectives.Part part : parts) {
            if (part.record() < 0 || !part.file().host().equals(home)) continue;
            long begin = part.file().begin(part.record());
            if (is(part, before) && (last == null || begin > lastBegin)) {
                last = part;
                lastBegin = begin;
            }
            int waiter = ended(part);
            if (waiter < 0 || !is(part, after)) continue;
            long end = part.file().end(waiter);
            if (first != null && end >= firstEnd) continue;
            first = part;
            firstEnd = end;
        }
        for (MatchedCollectives.Part part : parts) {
            if (part.record() < 0 || part.file().host().equals(home)) continue;
            if (first != null && is(part, before))
                order(part.file(), part.file().begin(part.record()), first.file(), firstEnd);
            int waiter = ended(part);
            if (last != null && waiter >= 0 && is(part, after))
                order(last.file(), lastBegin, part.file(), part.file().end(waiter));
        }
    }

    private static boolean is(MatchedCollectives.Part part, int rank) {
        return rank < 0 || part.file().rank() == rank;
    }

    private static int ended(MatchedCollectives.Part part) {
        int waiter = waiter(part.file(), part.record());
        boolean failed = part.file().is(part.record(), CallRecord.FAILED)
                || waiter >= 0 && part.file().is(waiter, CallRecord.FAILED);
        return failed ? -1 : waiter;
    }

    /// What happened on one host came before what happened on the other.
    private void order(CallFile before, long early, CallFile after, long late) {
        boolean fromHome = before.host().equals(home), toHome = after.host().equals(home);
        if (fromHome == toHome) return;
        CallFile other = fromHome ? after : before;
        long at = fromHome ? late : early;
        Long since = from.get(other);
        if (since == null || at < since || at <= other.began()) return;
        Bounds bounds = hosts.computeIfAbsent(other.host(), h -> new Bounds());
        double elapsed = at - other.began();
        if (fromHome) bounds.least = Math.max(bounds.least, (early + FASTEST_NANOS - late) / elapsed);
        else bounds.most = Math.min(bounds.most, (late - FASTEST_NANOS - early) / elapsed);
    }
}
