package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.Matcher;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CallSignature;
import org.tutti.spi.CommPort;
import org.tutti.spi.type.ElementType;

/// The report of messages that were sent but never received: messages of the user, including partitioned
/// messages, and messages of collective calls that the receiver did not make. The contexts of the user's
/// messages have even ids.
final class Unreceived {
    private static final int MOST = 4;

    /// The mask of the lane in a context id, and the lane of partitioned messages.
    private static final int LANES = 3, IN_PARTS = 2;

    /// The tag that marks an announcement on the lane of partitioned messages; the announcement contains the
    /// user's tag.
    private static final int ANNOUNCEMENT = 0;

    private final Shared memory;
    private final Segment segment;
    private final StringBuilder text = new StringBuilder();

    /// A rank from which an announcement of a partitioned message in context `id` has been counted. After that,
    /// partitions from this rank in the same context are not counted.
    private record Announced(long id, int rank) {}

    private final Set<Announced> announced = new HashSet<>();
    private int count;

    Unreceived(Shared memory, Segment segment) {
        this.memory = memory;
        this.segment = segment;
    }

    /// Adds the messages that are stored on this rank, except messages from processes that have died.
    void kept(long id, MatchContext context) {
        for (Arrival a = context.first(); a != null; a = a.next()) {
            if (segment.hasDied(a.sender)) continue;
            if (isInParts(id)) keptInParts(id, a, context.port());
            else if (isUsers(id)) kept(a, context.port());
            else if (a.hasCall) keptCall(a, context.port());
        }
        for (Arrival a = context.firstReserved(); a != null; a = a.next()) {
            if (!segment.hasDied(a.sender)) kept(a, context.port());
        }
    }

    private void kept(Arrival a, @Nullable CommPort port) {
        if (next())
            describe(a.typeCode, a.length)
                    .append(" from ")
                    .append(CallSignature.describeRank(a.source, port))
                    .append(", tag ");
        end(a.tag, port);
    }

    private void keptInParts(long id, Arrival a, @Nullable CommPort port) {
        if (isNews(id, a.source, a.tag))
            inParts(a.tag, " from " + CallSignature.describeRank(a.source, port), a.copy(), 0, port);
    }

    /// Returns whether to report this message of a partitioned send: true for an announcement, and for a
    /// partition if the report contains no announcement from the same sender.
    private boolean isNews(long id, int rank, int tag) {
        Announced sender = new Announced(id, rank);
        if (tag == ANNOUNCEMENT) announced.add(sender);
        return tag == ANNOUNCEMENT || !announced.contains(sender);
    }

    /// Adds a partition, or an announcement. An announcement begins with the user's tag, at offset `at` of
    /// `from`.
    private void inParts(int tag, String direction, MemorySegment from, long at, @Nullable CommPort port) {
        if (!next()) return;
        if (count > 1) text.append("; ");
        if (tag == ANNOUNCEMENT) {
            text.append("one in partitions").append(direction).append(", tag ");
            end(from.get(ValueLayout.JAVA_INT_UNALIGNED, at), port);
        } else {
            text.append("a partition").append(direction).append(", ").append(name(port));
        }
    }

    private void keptCall(Arrival a, @Nullable CommPort port) {
        if (next())
            call(a.callA, a.callB, a.callC, port)
                    .append("of ")
                    .append(CallSignature.describeRank(a.source, port))
                    .append(": this rank made a different call, or none");
    }

    private StringBuilder call(long a, long b, long c, @Nullable CommPort port) {
        if (count > 1) text.append("; ");
        return text.append(CallSignature.describe(a, b, port))
                .append(", call ")
                .append(CallSignature.number(c))
                .append(" on ")
                .append(port == null ? "a communicator" : port.name())
                .append(", ");
    }

    /// Compares this rank with each other rank, and adds the calls that one of the two has posted in slots and
    /// the other will never post.
    void posts(CollectiveSlots slots, CommPort port) {
        int me = port.rank();
        for (int r = 0; r < slots.size(); r++) {
            if (r == me) continue;
            long extra = slots.posted() + 1;
            if (slots.hasMore(r) && next())
                call(slots.word(r, extra, 0), slots.word(r, extra, 1), slots.word(r, extra, 2), port)
                        .append("of ")
                        .append(CallSignature.describeRank(r, port))
                        .append(": this rank made a different call, or none");
            if (!segment.hasLeft(port.process(r))) continue;
            long mine = slots.incomplete(r);
            if (mine != 0 && next())
                call(slots.word(me, mine, 0), slots.word(me, mine, 1), slots.word(me, mine, 2), port)
                        .append("to ")
                        .append(port.describeRank(r))
                        .append(", which made a different call, or none, and has left");
        }
    }

    /// Adds a record that was not consumed by `receiver`, a process that has left.
    void unread(long at, long word, int receiver, Matcher matcher) {
        int kind = RecordDescriptor.kind(word);
        if (kind != RecordDescriptor.EAGER && kind != RecordDescriptor.OFFER) return;
        long id = memory.getLong(at + RecordDescriptor.CONTEXT);
        CommPort port = matcher.context(id).port();
        if (!isUsers(id)) {
            if (RecordDescriptor.hasCall(word)) unreadCall(at, receiver, port);
            return;
        }
        if (isInParts(id)) {
            int tag = tag(at);
            long payload = at + RecordDescriptor.payloadOffset(word);
            if (isNews(id, receiver, tag)) inParts(tag, " to " + left(port, receiver), memory.segment(), payload, port);
            return;
        }
        if (next()) {
            describe(RecordDescriptor.typeCode(word), memory.getLong(at + RecordDescriptor.LENGTH))
                    .append(" to ")
                    .append(left(port, receiver))
                    .append(", tag ");
        }
        end(tag(at), port);
    }

    private int tag(long at) {
        return RecordDescriptor.tag(memory.getLong(at + RecordDescriptor.ENVELOPE));
    }

    private static String left(@Nullable CommPort port, int receiver) {
        return (port == null ? "rank " + receiver : port.describeRank(rankIn(port, receiver))) + ", which has left";
    }

    private void unreadCall(long at, int receiver, @Nullable CommPort port) {
        boolean notice = tag(at) == Progress.NOTICE_TAG;
        if (notice || !next()) return;
        call(
                        word(at, RecordDescriptor.CALL_A),
                        word(at, RecordDescriptor.CALL_B),
                        word(at, RecordDescriptor.CALL_C),
                        port)
                .append("to ")
                .append(port == null ? "rank " + receiver : port.describeRank(rankIn(port, receiver)))
                .append(", which made a different call, or none, and has left");
    }

    private long word(long at, int which) {
        return memory.getLong(at + which);
    }

    private static boolean isUsers(long id) {
        return (id & 1) == 0;
    }

    private static boolean isInParts(long id) {
        return (id & LANES) == IN_PARTS;
    }

    private static int rankIn(CommPort port, int process) {
        int r = 0;
        while (r < port.size() - 1 && port.process(r) != process) r++;
        return r;
    }

    private boolean next() {
        return ++count <= MOST;
    }

    private StringBuilder describe(int typeCode, long bytes) {
        if (count > 1) text.append("; ");
        ElementType type = ElementType.ofCode(typeCode);
        return type == ElementType.OBJECT
                ? text.append("an object of ").append(bytes).append(" bytes")
                : text.append(bytes / type.bytes()).append(' ').append(type);
    }

    private void end(int tag, @Nullable CommPort port) {
        if (count <= MOST) text.append(tag).append(", ").append(name(port));
    }

    private static String name(@Nullable CommPort port) {
        return port == null ? "a communicator that was closed" : port.name();
    }

    /// Returns the report; null if there are no unreceived messages.
    @Nullable
    String text() {
        if (count == 0) return null;
        String head = count == 1 ? "1 message was never received: " : count + " messages were never received: ";
        return head + text + (count > MOST ? "; …" : "");
    }
}
