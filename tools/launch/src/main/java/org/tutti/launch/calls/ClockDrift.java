package org.tutti.launch.calls;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.spi.Collective;

/// The drift of the clocks of other hosts relative to the clock of rank 0 since the comparison in `Mpi.init`. It
/// is derived from impossible orders: a message that was received before it was sent, or a rank that returned
/// from a barrier before the last rank entered it.
///
///     host a   ─────● sent─────────────● received──▶    each message to b is a lower bound of b's drift,
///     host b   ─────────▶● received──● sent────────▶    each message to a is an upper bound, in ns per ns
///
/// The drift is positive if the clock of the host is slow, and is assumed to be constant. If the bounds permit a
/// drift of zero, the result is zero. Otherwise it is the permitted value nearest to zero, with which the latency
/// of the fastest message is exactly [#FASTEST_NANOS]. Events in the first half of the job are ignored, because
/// extrapolation from the first seconds would multiply an error of the comparison.
final class ClockDrift {
    /// The assumed minimum latency of a message between two hosts.
    private static final long FASTEST_NANOS = 1_000;

    private static final Collective.Kind[] KINDS = Collective.Kind.values();

    /// The bounds of a host's clock drift, in ns per ns.
    private static final class Bounds {
        private double least = Double.NEGATIVE_INFINITY;
        private double most = Double.POSITIVE_INFINITY;

        double rate() {
            // contradictory bounds, which no constant drift explains, are averaged
            return least > most ? (least + most) / 2 : Math.clamp(0, least, most);
        }
    }

    private final String home;
    private final Map<String, Bounds> hosts = new TreeMap<>();

    /// For each rank, the time before which events are ignored.
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

    /// Corrects the times of all ranks. Returns, for each drifting host, the drift accumulated up to the last
    /// call, in nanoseconds. Does nothing if rank 0 has no records.
    static Map<String, Long> correct(JobCalls job) {
        Map<String, Long> drifts = new TreeMap<>();
        // rank 0 is the reference
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

    /// Returns the record of the call that completes the operation of `record`; -1 if no such call has been
    /// recorded, or if the rank has not returned from it.
    private static int waiter(CallFile file, int record) {
        int waiter = Lateness.waiter(file, record);
        return waiter >= 0 && file.isFinished(waiter) ? waiter : -1;
    }

    /// Adds the bounds from a collective call of a kind in which certain ranks cannot complete the call before
    /// other ranks have entered it, whatever the counts of the individual ranks are.
    private void meet(List<MatchedCollectives.Part> parts, long call) {
        MatchedCollectives.Part some =
                parts.stream().filter(p -> p.record() >= 0).findFirst().orElse(null);
        if (some == null || some.file().kind(some.record()) != Kind.COLLECTIVE) return;
        Collective.Kind kind = KINDS[some.file().code(some.record())];
        // in an intercommunicator, a rank waits only for the other group
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

    /// Adds the bounds from a collective call: rank `before` enters the call before rank `after` returns from it.
    /// -1 means each rank. Uses only pairs of a rank on the host of rank 0 and a rank on a different host.
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

    /// Adds the bound from two events: the event of rank `before` at time `early` happened before the event of
    /// rank `after` at time `late`. Exactly one of the two ranks must be on the host of rank 0; otherwise adds
    /// none.
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
