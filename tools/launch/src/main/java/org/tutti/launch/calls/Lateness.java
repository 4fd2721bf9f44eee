package org.tutti.launch.calls;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.spi.Collective;

/// Ranks that delayed other ranks. A call cannot complete before all required ranks have entered it. The time
/// from the start of a call until the last required rank enters is waiting time, caused by the last rank; the
/// rest is the duration of the call itself. A rank that entered after a rank had returned has not delayed that
/// rank.
///
///     rank 0   ├── waits for 3 ──┤ moves data ┤        begins … ends
///     rank 3            computes │├───────────┤        enters last
///
/// A call may require only some ranks: for example, a bcast requires the root, and a receive requires the
/// sender. Other ranks do not cause delays.
public final class Lateness {
    /// A place in the program at which a rank delayed other ranks.
    ///
    /// @param what the call that the rank entered late or never: `allreduce at Halo.java:41`; for messages, the
    ///     send or receive, and the call in which the other rank waited for it
    /// @param times the number of calls
    /// @param nanos the total time that all other ranks waited
    /// @param longestNanos the longest wait of a single rank in a single call
    /// @param longestCall the sequence number of that call on the communicator; 0 for a message
    /// @param never whether the rank never entered the call, so that the other ranks waited until the end of the
    ///     recording or a failure
    public record Late(
            int rank, String what, long times, long nanos, long longestNanos, long longestCall, boolean never) {}

    private record Place(int rank, String what, boolean never) {}

    private static final class Sum {
        private long times;
        private long nanos;
        private long longest;
        private long longestCall;

        void add(long lost, long longestOfCall, long call) {
            times++;
            nanos += lost;
            if (longestOfCall <= longest) return;
            longest = longestOfCall;
            longestCall = call;
        }
    }

    /// The minimum wait that is counted as a delay; shorter waits are normal even for the fastest message.
    private static final long SHORTEST_NANOS = 1_000;

    private static final Collective.Kind[] KINDS = Collective.Kind.values();

    private final Map<Place, Sum> places = new HashMap<>();
    private final long[] waiting;

    /// The delay that each rank has caused in the call being evaluated.
    private final long[] lostBy;

    private final long[] longestBy;

    private Lateness(int size) {
        waiting = new long[size];
        lostBy = new long[size];
        longestBy = new long[size];
    }

    public static Lateness of(JobCalls job) {
        Lateness lateness = new Lateness(job.size());
        MatchedCollectives.match(job, lateness::meet);
        MessagePairs.match(job, lateness::message);
        for (CallFile file : job.ranks()) lateness.unanswered(file, job.size());
        return lateness;
    }

    /// Returns how long a rank has waited for other ranks.
    public long waitingNanos(int rank) {
        return waiting[rank];
    }

    /// Returns all places, with the longest delay first.
    public List<Late> worst() {
        List<Late> worst = new ArrayList<>();
        places.forEach((place, sum) -> worst.add(
                new Late(place.rank, place.what, sum.times, sum.nanos, sum.longest, sum.longestCall, place.never)));
        worst.sort(Comparator.comparingLong(Late::nanos)
                .reversed()
                .thenComparingInt(Late::rank)
                .thenComparing(Late::what));
        return worst;
    }

    private static String what(CallFile file, int record) {
        String line = file.line(record);
        return file.operation(record) + (line.isEmpty() ? "" : " at " + line);
    }

    /// Returns the record of the call in which the rank waited for the operation of `record`; -1 if the rank did
    /// not wait.
    static int waiter(CallFile file, int record) {
        return file.is(record, CallRecord.STARTS) ? file.done(record) : record;
    }

    private void meet(List<MatchedCollectives.Part> parts, long call) {
        MatchedCollectives.Part missing = null;
        MatchedCollectives.Part last = null;
        for (MatchedCollectives.Part part : parts) {
            if (part.record() < 0) {
                if (missing == null) missing = part;
            } else if (last == null || begin(part) > begin(last)) last = part;
        }
        if (last == null) return;
        for (MatchedCollectives.Part part : parts) {
            int waiter = part.record() < 0 ? -1 : waiter(part.file(), part.record());
            if (waiter < 0) continue;
            if (missing != null && !isComplete(part, waiter)) {
                long waited = part.file().end(waiter) - part.file().begin(waiter);
                Place place = new Place(missing.file().rank(), what(part.file(), part.record()), true);
                add(part.file(), place, waited, call);
                continue;
            }
            MatchedCollectives.Part late = lateFor(part, waiter, parts, last);
            if (late != null)
                lost(part.file(), late.file().rank(), begin(late) - part.file().begin(waiter));
        }
        for (MatchedCollectives.Part part : parts) {
            int rank = part.file().rank();
            if (lostBy[rank] == 0) continue;
            Place place = new Place(rank, what(part.file(), part.record()), false);
            places.computeIfAbsent(place, p -> new Sum()).add(lostBy[rank], longestBy[rank], call);
            lostBy[rank] = 0;
            longestBy[rank] = 0;
        }
    }

    /// Returns whether the rank has returned without an error from the call that waits for the operation.
    private static boolean isComplete(MatchedCollectives.Part part, int waiter) {
        boolean failed = part.file().is(part.record(), CallRecord.FAILED);
        return part.file().isFinished(waiter) && !failed && !part.file().is(waiter, CallRecord.FAILED);
    }

    private static long begin(MatchedCollectives.Part part) {
        return part.file().begin(part.record());
    }

    private static MatchedCollectives.@Nullable Part lateFor(
            MatchedCollectives.Part who,
            int waiter,
            List<MatchedCollectives.Part> parts,
            MatchedCollectives.Part last) {
        long from = who.file().begin(waiter), to = who.file().end(waiter);
        int onlyRoot = needsOnlyRoot(who.file(), who.record());
        if (onlyRoot < 0 && !isScan(who.file(), who.record()) && begin(last) <= to) {
            return last.file() != who.file() && begin(last) > from ? last : null;
        }
        MatchedCollectives.Part late = null;
        for (MatchedCollectives.Part part : parts) {
            if (part.record() < 0 || part.file() == who.file()) continue;
            int rank = part.file().rank();
            if (onlyRoot >= 0 && rank != onlyRoot) continue;
            if (isScan(who.file(), who.record()) && commRank(part) > commRank(who)) continue;
            long entered = begin(part);
            if (entered > from && entered <= to && (late == null || entered > begin(late))) late = part;
        }
        return late;
    }

    /// Returns the root if this rank receives data only from the root; otherwise -1.
    private static int needsOnlyRoot(CallFile file, int record) {
        if (file.kind(record) != Kind.COLLECTIVE) return -1;
        Collective.Kind kind = KINDS[file.code(record)];
        boolean fromRoot = kind == Collective.Kind.BCAST || kind == Collective.Kind.SCATTER;
        return fromRoot && file.peer(record) != file.rank() ? file.peer(record) : -1;
    }

    private static int commRank(MatchedCollectives.Part part) {
        return part.file().tag(part.record());
    }

    /// Returns whether the call of a rank requires only the ranks of the communicator below this rank.
    private static boolean isScan(CallFile file, int record) {
        if (file.kind(record) != Kind.COLLECTIVE) return false;
        Collective.Kind kind = KINDS[file.code(record)];
        return kind == Collective.Kind.SCAN || kind == Collective.Kind.EXSCAN;
    }

    private void lost(CallFile who, int by, long nanos) {
        if (nanos < SHORTEST_NANOS) return;
        waiting[who.rank()] += nanos;
        lostBy[by] += nanos;
        longestBy[by] = Math.max(longestBy[by], nanos);
    }

    private void add(CallFile who, Place place, long nanos, long call) {
        if (nanos < SHORTEST_NANOS) return;
        waiting[who.rank()] += nanos;
        places.computeIfAbsent(place, p -> new Sum()).add(nanos, nanos, call);
    }

    private void message(CallFile from, int send, CallFile to, int receive) {
        if (from == to) return;
        late(to, receive, from, send);
        late(from, send, to, receive);
    }

    /// Adds the delay that `other` caused while `who` waited for the operation of `record`. The delay is the
    /// time from the start of the wait to the start of the call in record `others` of `other`, if that call
    /// began during the wait.
    private void late(CallFile who, int record, CallFile other, int others) {
        int waiter = waiter(who, record);
        if (waiter < 0) return;
        long entered = other.begin(others), from = who.begin(waiter);
        if (entered <= from || entered > who.end(waiter)) return;
        String what = what(other, others), in = what(who, waiter);
        if (!in.equals(what)) what += ", waited for in " + in;
        add(who, new Place(other.rank(), what, false), entered - from, 0);
    }

    /// Adds the receives in which the rank was still waiting at the end of the recording, except receives from
    /// any source.
    private void unanswered(CallFile file, int size) {
        for (int i = 0; i < file.records(); i++) {
            if (file.isFinished(i) || file.kind(i) != Kind.RECV && file.kind(i) != Kind.WAIT) continue;
            int of = file.kind(i) == Kind.RECV ? i : (int) file.call(i) - 1;
            if (of < 0 || file.kind(of) != Kind.RECV || file.peer(of) < 0 || file.peer(of) >= size) continue;
            add(file, new Place(file.peer(of), what(file, i), true), file.end(i) - file.begin(i), 0);
        }
    }
}
