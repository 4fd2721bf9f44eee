package org.tutti.inspect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.JobStatus;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

/// Matches a received message with the send in the sender's flight recorder.
///
/// Messages between two ranks with one tag on one communicator are received in the order of the sends (MPI 4.1,
/// section 3.5). So the k-th message sent is the k-th received; the two ranks count, and messages need no
/// additional data. A message that `mprobe` removes from the queue is counted at the probe, whenever it is
/// received. While several receives or such probes are in progress, in one or several threads, it is uncertain
/// which receive was the k-th, and no send is returned. Sends of several threads are counted in the order in
/// which the calls begin, but may be matched in a different order. For these sends, only properties that
/// concurrent messages must have in common may be compared: the type, but not the length.
///
/// Each rank counts the first [#FIRST] operations, or with `--check` all operations. Counting an operation costs
/// a map access.
final class Pairing {
    private static final int FIRST = 1024;

    private static final int MOST_LINES = 4;

    private static final Integer LOOKING = -1;

    /// A sequence of messages that are received in send order, as this rank identifies it.
    private record Stream(long comm, int peer, int tag, boolean sends) {
        /// Replaces the record's own method, which the JVM would generate at the first use, during the first
        /// message.
        @Override
        public int hashCode() {
            return 31 * (31 * Long.hashCode(comm) + peer) + (sends ? tag : ~tag);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Stream s && s.comm == comm && s.peer == peer && s.tag == tag && s.sends == sends;
        }
    }

    private static final class Count {
        int value;
    }

    private static final Count NONE = new Count();

    private final JobStatus status;
    private final boolean always;
    private final Map<Stream, Count> counts = new HashMap<>();

    /// Receives for which a matched probe is searching or has found a message. The value is [#LOOKING], or the
    /// number of the message.
    private final Map<Transfer, Integer> probed = new WeakHashMap<>();

    /// The number of receives and matched probes in progress.
    private int pending;

    /// Whether [#pending] has been greater than 1 since it was last 0.
    private boolean several;

    /// The identifier of the first thread that has sent; 0 before the first send.
    private long sender;

    /// Whether a second thread has also sent.
    private boolean severalSend;

    Pairing(JobStatus status, boolean always) {
        this.status = status;
        this.always = always;
    }

    /// Returns whether operation `number` of this rank is counted.
    boolean counts(long number) {
        return always || number < FIRST;
    }

    /// Called when a send begins. Returns the send's sequence number.
    synchronized int sends(Transfer send) {
        long me = Thread.currentThread().threadId();
        if (sender == 0) sender = me;
        severalSend |= sender != me;
        return next(send, send.peer, send.tag, true);
    }

    /// Returns whether the messages of this rank are sent in the order in which they are counted.
    synchronized boolean isOrderOfSendsSure() {
        return !severalSend;
    }

    /// Called when a receive or a matched probe begins.
    synchronized void begins() {
        pending++;
        several |= pending > 1;
    }

    /// Called when an operation that has begun has received a message. Returns the sequence number of the
    /// message, or 0 if the number is uncertain.
    synchronized int received(Transfer receive) {
        boolean sure = !several;
        ended();
        int k = next(receive, receive.source, receive.receivedTag, false);
        return sure ? k : 0;
    }

    /// Called when a matched probe begins.
    synchronized void probes(Transfer pattern) {
        begins();
        probed.put(pattern, LOOKING);
    }

    /// Called when a matched probe ends. The message is counted if [#probes] has been called for this probe.
    synchronized void probed(Transfer pattern, boolean found) {
        if (!LOOKING.equals(probed.remove(pattern))) return;
        if (found && pattern.source >= 0) probed.put(pattern, received(pattern));
        else ended();
    }

    /// Returns the number of the message that a matched probe has found for a receive, 0 if the number is
    /// unknown; null for other receives.
    synchronized @Nullable Integer foundFor(Transfer receive) {
        return probed.get(receive);
    }

    /// Called when a receive is done whose message was found by a matched probe. The message is then forgotten.
    synchronized void receivedFound(Transfer receive) {
        probed.remove(receive);
    }

    /// Called when an operation that began has ended without a message.
    synchronized void ended() {
        pending = Math.max(0, pending - 1);
        if (pending == 0) several = false;
    }

    private int next(Transfer message, int peer, int tag, boolean sends) {
        Stream stream = new Stream(message.port().id(), peer, tag, sends);
        return ++counts.computeIfAbsent(stream, s -> new Count()).value;
    }

    /// Returns the source lines of the messages that this rank has not received, and of this rank's messages
    /// that ranks which have left have not received, for example `A.java:7, A.java:9`; an empty string if the
    /// lines are unknown.
    ///
    /// @param ports the communicators to search
    String unreceived(List<CommPort> ports) {
        Set<String> lines = new TreeSet<>();
        for (CommPort port : ports) {
            for (int r = 0; r < port.size(); r++) {
                if (port.worldRank(r) < 0) continue; // a rank of a different world has no entries in this status page
                for (FlightRing.Entry e : sends(port, r, port.rank())) {
                    if (e.d() > received(port.id(), r, e.tag())) add(e, lines);
                }
                boolean hasLeft = status.state(port.worldRank(r)) == JobStatus.State.LEFT;
                if (hasLeft && r != port.rank()) addUnreceivedBy(r, port, lines);
            }
        }
        return String.join(", ", lines);
    }

    /// Adds the lines of this rank's messages that rank `r`, which has left, has not received. Adds none if `r`
    /// has executed more operations than its recorder stores, so that the first are missing.
    private void addUnreceivedBy(int r, CommPort port, Set<String> lines) {
        List<FlightRing.Entry> theirs = status.flight(port.worldRank(r)).read();
        if (theirs.isEmpty() || theirs.getFirst().number() > 1) return;
        Map<Integer, Count> got = new HashMap<>();
        for (FlightRing.Entry e : theirs) {
            boolean isOurs = e.kind() == FlightRing.Kind.RECV && e.comm() == port.id() && e.source() == port.rank();
            if (isOurs && e.state() == FlightRing.State.DONE) {
                got.computeIfAbsent(e.receivedTag(), t -> new Count()).value++;
            }
        }
        for (FlightRing.Entry e : sends(port, port.rank(), r)) {
            if (e.d() > got.getOrDefault(e.tag(), NONE).value) add(e, lines);
        }
    }

    /// Returns the sends from one rank to a second rank that the sender's recorder contains.
    private List<FlightRing.Entry> sends(CommPort port, int source, int dest) {
        return status.flight(port.worldRank(source)).read().stream()
                .filter(e -> e.kind() == FlightRing.Kind.SEND && e.comm() == port.id() && e.peer() == dest)
                .toList();
    }

    /// Describes a message that was sent to this rank and matches no receive of this rank, for example `an
    /// unmatched message of rank 0 with tag 0, sent at A.java:27, is queued`. Returns an empty string if no
    /// such message is known with certainty.
    ///
    /// @param receive the waiting receive, which no queued message matches
    /// @param ports the communicators to search; the first is that of the receive
    /// @param own the calls of this rank
    String unmatched(Transfer receive, Iterable<CommPort> ports, List<FlightRing.Entry> own) {
        String fromOtherRanks = "";
        for (CommPort port : ports) {
            for (int r = 0; r < port.size(); r++) {
                if (port.worldRank(r) < 0 || port.isInter()) continue;
                FlightRing.Entry send = unmatched(receive, port, r, own);
                if (send == null) continue;
                String where = port == receive.port() ? "" : " on " + port.name();
                String line = send.line().isEmpty() ? "" : ", sent at " + send.line() + ",";
                String text =
                        "an unmatched message of rank " + r + " with tag " + send.tag() + where + line + " is queued";
                if (receive.peer == r || receive.peer == Transfer.ANY_SOURCE) return text;
                if (fromOtherRanks.isEmpty()) fromOtherRanks = text;
            }
        }
        return fromOtherRanks;
    }

    private FlightRing.@Nullable Entry unmatched(
            Transfer receive, CommPort port, int source, List<FlightRing.Entry> own) {
        for (FlightRing.Entry e : sends(port, source, port.rank())) {
            if (e.d() == 0 || e.d() <= received(port.id(), source, e.tag())) continue;
            boolean isWanted = port == receive.port() && matches(receive.peer, source) && matches(receive.tag, e.tag());
            if (!isWanted && own.stream().noneMatch(r -> mayTake(r, port, source, e.tag()))) return e;
        }
        return null;
    }

    /// Returns whether `receive` is in progress and may have received a message from `source` with `tag`.
    private static boolean mayTake(FlightRing.Entry receive, CommPort port, int source, int tag) {
        boolean isUnderWay = receive.kind() == FlightRing.Kind.RECV && receive.state() == FlightRing.State.STARTED;
        return isUnderWay
                && receive.comm() == port.id()
                && matches(receive.peer(), source)
                && matches(receive.tag(), tag);
    }

    /// Returns whether a source or tag matches. Wildcards are negative.
    private static boolean matches(int wanted, int value) {
        return wanted < 0 || wanted == value;
    }

    private static void add(FlightRing.Entry send, Set<String> lines) {
        if (!send.line().isEmpty() && lines.size() < MOST_LINES) lines.add(send.line());
    }

    private synchronized int received(long comm, int source, int tag) {
        Count count = counts.get(new Stream(comm, source, tag, false));
        return count == null ? 0 : count.value;
    }

    /// Returns the send of the next message for a receive from one rank with one tag; null if the send is
    /// uncertain, or if no message has been sent.
    FlightRing.@Nullable Entry nextFrom(Transfer receive) {
        int k;
        synchronized (this) {
            if (pending > 0) return null;
            k = received(receive.port().id(), receive.peer, receive.tag) + 1;
        }
        CommPort port = receive.port();
        if (port.worldRank(receive.peer) < 0) return null;
        return status.flight(port.worldRank(receive.peer)).send(port.id(), port.rank(), receive.tag, k);
    }

    /// Returns the send of the k-th message, which `receive` has received; null if the send is unknown or no
    /// longer recorded.
    FlightRing.@Nullable Entry sendOf(Transfer receive, int k) {
        if (k == 0 || receive.source < 0) return null;
        CommPort port = receive.port();
        if (port.worldRank(receive.source) < 0) return null;
        return status.flight(port.worldRank(receive.source)).send(port.id(), port.rank(), receive.receivedTag, k);
    }
}
