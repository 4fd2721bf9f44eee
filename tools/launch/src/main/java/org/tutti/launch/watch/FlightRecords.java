package org.tutti.launch.watch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.JobText;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// The contents of the flight recorders of all ranks at one moment: the last operations of each rank, and the
/// first difference between ranks.
final class FlightRecords {
    /// The identifier of the world.
    private static final long WORLD = 1;

    /// The entries of each rank, the oldest first.
    private final List<List<Entry>> entries = new ArrayList<>();

    /// The ranks with records that are up to date, including started ranks that have not completed `Mpi.init` and
    /// have no records yet. The records of other ranks, which are remote, may be older.
    private final BitSet upToDate = new BitSet();

    /// The ranks that have left without an exception, or failed during close.
    private final BitSet closed = new BitSet();

    private final long atNanos = System.nanoTime();

    private FlightRecords() {}

    static FlightRecords of(JobStatus status, RemoteCalls remote) {
        FlightRecords flights = new FlightRecords();
        for (int r = 0; r < status.size(); r++) {
            FlightRing ring = status.flight(r);
            flights.entries.add(ring.isThere() ? ring.read() : remote.entries(r));
            boolean failedInClose =
                    status.state(r) == JobStatus.State.FAILED && status.text(r).contains("MpiException: close: ");
            if (status.state(r) == JobStatus.State.LEFT || failedInClose) flights.closed.set(r);
            boolean isBeforeCalls =
                    status.state(r) == JobStatus.State.STARTED || status.state(r) == JobStatus.State.JOINING;
            if (ring.isThere() || remote.isUpToDate(r) || isBeforeCalls) flights.upToDate.set(r);
        }
        return flights;
    }

    /// Returns whether no rank has recorded a call.
    boolean isEmpty() {
        return entries.stream().allMatch(List::isEmpty);
    }

    /// Returns the last `most` operations of a rank, one per line.
    List<String> lines(int rank, int most) {
        List<Entry> all = entries.get(rank);
        List<String> lines = new ArrayList<>();
        for (Entry e : all.subList(Math.max(0, all.size() - most), all.size())) lines.add(line(e));
        return lines;
    }

    private String line(Entry e) {
        String ago = String.format(Locale.ROOT, "%.3f s ago", (atNanos - e.nanos()) * 1e-9);
        String line = e.line().isEmpty() ? "" : " at " + e.line();
        return "#" + e.number() + ", " + ago + ": " + words(e) + line + ": " + state(e);
    }

    private static String state(Entry e) {
        if (e.state() == State.DONE && e.kind() == Kind.RECV && e.source() >= 0) {
            return "done, " + e.d() + " bytes from " + e.source() + ", tag " + e.receivedTag();
        }
        return switch (e.state()) {
            case CALLED -> "in it";
            case STARTED -> "under way";
            case DONE -> "done";
            case FAILED -> "failed";
        };
    }

    /// Returns the call in the user's terms, for example `recv(source=1, tag=7) on WORLD` or
    /// `allreduce(4 INT, SUM) on WORLD, call 3`.
    private static String words(Entry e) {
        return switch (e.kind()) {
            case SEND ->
                e.operation() + "(dest=" + e.peer() + ", tag=" + e.tag() + ", " + amount(e) + ") on " + e.commName();
            case RECV -> e.operation() + "(source=" + any(e.peer()) + ", tag=" + any(e.tag()) + ") on " + e.commName();
            case PROBE -> e.operation() + "(source=" + any(e.peer()) + ", tag=" + any(e.tag()) + ") on " + e.commName();
            case COLLECTIVE -> call(e) + " on " + e.commName() + ", call " + e.d();
            case MAKE -> e.operation() + "() on " + e.commName() + (e.d() > 0 ? ", call " + e.d() : "");
            case FILE -> e.operation() + "(" + e.b() + " bytes from byte " + e.a() + " of the view) of " + e.commName();
            case WAIT, MARK -> e.operation() + "()";
        };
    }

    private static String any(int value) {
        return value == Transfer.ANY_TAG ? "any" : Integer.toString(value);
    }

    private static String amount(Entry e) {
        ElementType type = ElementType.ofCode(e.type());
        return type.bytes() == 1 ? e.b() + " bytes" : e.b() / type.bytes() + " " + type;
    }

    /// Returns a collective call with the arguments that must match, under the name that the program uses.
    private static String call(Entry e) {
        if (e.kind() == Kind.MAKE) return e.operation() + "()";
        String described = CallSignature.describe(e.a(), e.b(), null);
        return e.operation() + described.substring(described.indexOf('('));
    }

    private record Place(long comm, long call) {}

    /// Returns the first collective call in which ranks differ:
    /// `collective call 3 of WORLD: rank 0 barrier() at A.java:7; ranks 1 and 2 bcast(4 INT, root=0) at A.java:9`.
    /// Null if all known calls match.
    @Nullable
    String difference() {
        return difference(false);
    }

    /// @param ofWaiting whether to consider only calls in which a rank is waiting
    private @Nullable String difference(boolean ofWaiting) {
        Map<Place, Map<Integer, Entry>> calls = calls();
        return calls.entrySet().stream()
                .filter(call -> !ofWaiting || isWaitedFor(call.getValue()))
                .filter(call -> call.getValue().values().stream()
                                .map(FlightRecords::alike)
                                .distinct()
                                .count()
                        > 1)
                .min(Comparator.comparingLong(call -> soonest(call.getValue())))
                .map(call -> "collective call " + call.getKey().call + " of " + name(call.getValue()) + ": "
                        + byRank(call.getValue()))
                .orElse(null);
    }

    /// Returns the first collective call in which a rank is waiting and that other ranks have not entered, with
    /// the last call of each of these ranks on the communicator. Null if no rank is waiting in such a call.
    private @Nullable String missing() {
        return missing(true, false);
    }

    /// @param ofWaiting whether to consider only calls in which a rank is waiting
    /// @param ofClosed whether to consider only calls that a rank will not enter, because it has closed
    private @Nullable String missing(boolean ofWaiting, boolean ofClosed) {
        List<Map.Entry<Place, Map<Integer, Entry>>> calls = new ArrayList<>(calls().entrySet());
        calls.sort(Comparator.comparingLong(call -> soonest(call.getValue())));
        for (Map.Entry<Place, Map<Integer, Entry>> call : calls) {
            // a root does not wait for other ranks and may have left the call
            if (ofWaiting && !isWaitedFor(call.getValue())) continue;
            Map<String, BitSet> late = new LinkedHashMap<>();
            boolean hasClosed = false;
            for (int r = 0; r < entries.size(); r++) {
                if (call.getValue().containsKey(r) || !upToDate.get(r)) continue;
                Entry last = last(r, call.getKey().comm);
                boolean isMember = last != null || call.getKey().comm == WORLD && isWhole(r);
                if (!isMember || last != null && last.d() > call.getKey().call) continue;
                String what = last == null
                        ? "made none"
                        : "made call " + last.d() + ", " + call(last) + at(last) + ", as its last";
                Entry end = closed.get(r) ? close(r) : null;
                hasClosed |= end != null;
                String closed = end == null ? "" : ", and closes" + at(end);
                late.computeIfAbsent(what + closed, w -> new BitSet()).set(r);
            }
            if (late.isEmpty() || ofClosed && !hasClosed) continue;
            StringBuilder text = new StringBuilder("collective call " + call.getKey().call + " of "
                    + name(call.getValue()) + ": " + byRank(call.getValue()));
            late.forEach((what, ranks) -> text.append("; ")
                    .append(JobText.ranks(ranks))
                    .append(ranks.cardinality() == 1 ? " has " : " have ")
                    .append(what));
            return text.toString();
        }
        return null;
    }

    /// Returns [#difference]; if it is null, a call that some ranks have entered, or in which they have failed,
    /// and that other ranks did not enter before closing.
    @Nullable
    String differenceOrMissingAtClose() {
        String difference = difference();
        return difference == null ? missing(false, true) : difference;
    }

    /// Returns a call in which a rank is waiting and that cannot complete, because a different rank has entered
    /// a different call or has closed; null if no such call exists.
    @Nullable
    String mismatch() {
        String difference = difference(true);
        return difference == null ? missing(true, true) : difference;
    }

    private static boolean isWaitedFor(Map<Integer, Entry> call) {
        return call.values().stream().anyMatch(e -> e.state() == State.CALLED || e.state() == State.STARTED);
    }

    /// Returns the entry of the rank's close; null if the rank has not closed.
    private @Nullable Entry close(int rank) {
        List<Entry> all = entries.get(rank);
        for (Entry e : all.reversed())
            if (e.kind() == Kind.MARK && e.operation().equals("close")) return e;
        return null;
    }

    /// Returns [#difference]; if it is null, the first call in which a rank is waiting and that other ranks
    /// have not entered.
    @Nullable
    String differenceOrMissing() {
        String difference = difference();
        return difference == null ? missing() : difference;
    }

    /// Whether no entry of the rank has been overwritten.
    private boolean isWhole(int rank) {
        List<Entry> all = entries.get(rank);
        return all.isEmpty() || all.getFirst().number() == 1;
    }

    private @Nullable Entry last(int rank, long comm) {
        Entry last = null;
        for (Entry e : entries.get(rank)) if (isCall(e) && e.comm() == comm) last = e;
        return last;
    }

    private static boolean isCall(Entry e) {
        return e.kind() == Kind.COLLECTIVE || e.kind() == Kind.MAKE && e.d() > 0;
    }

    private Map<Place, Map<Integer, Entry>> calls() {
        Map<Place, Map<Integer, Entry>> calls = new HashMap<>();
        for (int r = 0; r < entries.size(); r++) {
            for (Entry e : entries.get(r)) {
                if (isCall(e))
                    calls.computeIfAbsent(new Place(e.comm(), e.d()), p -> new TreeMap<>())
                            .put(r, e);
            }
        }
        return calls;
    }

    private record Alike(String word, long a, long b, long c) {}

    /// Returns equal values for matching calls. In an intercommunicator, arguments for the root differ, and
    /// counts may differ.
    private static Alike alike(Entry e) {
        if (e.kind() == Kind.MAKE) return new Alike(e.operation(), 0, 0, 0);
        return CallSignature.isInter(e.a())
                ? new Alike("", CallSignature.ofBothGroups(e.a()), 0, 0)
                : new Alike("", e.a(), e.b(), e.c());
    }

    private static long soonest(Map<Integer, Entry> call) {
        return call.values().stream().mapToLong(Entry::nanos).min().orElse(0);
    }

    private static String name(Map<Integer, Entry> call) {
        return call.values().iterator().next().commName();
    }

    private static String byRank(Map<Integer, Entry> call) {
        Map<String, BitSet> words = new LinkedHashMap<>();
        call.forEach((rank, e) ->
                words.computeIfAbsent(call(e) + at(e), w -> new BitSet()).set(rank));
        StringBuilder text = new StringBuilder();
        words.forEach((what, ranks) -> text.append(text.isEmpty() ? "" : "; ")
                .append(JobText.ranks(ranks))
                .append(' ')
                .append(what));
        return text.toString();
    }

    private static String at(Entry e) {
        return e.line().isEmpty() ? "" : " at " + e.line();
    }
}
