package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// One message, sent or received. Blank ones come from [Engine#transfer]; the public fields are the caller's
/// until it is started and the engine's until it is done.
public abstract non-sealed class Transfer extends Activity {
    /// Which way it goes.
    public enum Kind {
        /// Standard mode: complete when the buffer may be used again (MPI 4.1, section 3.4).
        SEND,
        /// Into [Transfer#memory].
        RECV,
        /// Into memory that is asked of [Transfer#allocator] from when the length is known, that is, on
        /// the match.
        RECV_ALLOCATE
    }

    /// Which sub-context of the communicator: messages of one never match receives of another.
    public enum Lane {
        USER,
        COLLECTIVE,
        /// Messages in parts: their tags are numbers that the sender draws, not the user's. One with tag 0
        /// begins with the user's, an `int`, and announces others.
        PARTITIONED,
        /// Of those who make a communicator while others of this one's ranks do something else.
        MAKING,
        /// Of observers that compare what ranks call, over an engine whose messages do not say it.
        CHECKING
    }

    /// Gives the memory for a message whose length is now known, in one piece or several: asked again
    /// whenever what it gave is full, when it can look at the bytes that came. It gives room for the
    /// first of the `bytes` that are still to come, at least one; for all of them if it is longer. Called
    /// by any thread of the rank, perhaps under the engine's lock; must not communicate, and fails in its
    /// first call or never.
    @FunctionalInterface
    public interface Allocator {
        MemorySegment allocate(long bytes);
    }

    /// Any source, in [#peer] of a receive.
    public static final int ANY_SOURCE = -1;

    /// Any tag, in [#tag] of a receive.
    public static final int ANY_TAG = -1;

    /// Nobody, in [#peer]: completes at once and moves nothing (MPI 4.1, section 3.11).
    public static final int PROC_NULL = -2;

    public Kind kind = Kind.SEND;
    public Lane lane = Lane.USER;

    /// Rank of the port: destination of a send, source of a receive.
    public int peer;

    public int tag;

    /// Of a send: complete only when a receive has matched it and begun to take it, or has failed with it
    /// (synchronous mode; MPI 4.1, section 3.4). A taking [Engine#probe] alone does not complete it.
    public boolean synchronous;

    /// Of a receive: it holds the message that a taking [Engine#probe] found, and receives that one.
    public boolean matched;

    public Memory memory = Memory.NONE;

    /// Where in [#memory] the message begins.
    public long offsetBytes;

    /// Of a send: the message's length. Of a receive: the room there is; of `RECV_ALLOCATE` 0 until the length is
    /// known.
    public long lengthBytes;

    /// Where in [#memory] the message's bytes lie, if they are not one run from [#offsetBytes] on: to be
    /// packed and unpacked by [#copyOut] and [#copyIn]. Lengths are always of the packed message.
    public @Nullable Layout layout;

    /// Of a send: what follows the bytes at [#memory] in the same message. They are the last of
    /// [#lengthBytes].
    public List<MemorySegment> tail = List.of();

    /// Of a send with a tail: how much of it lies at [#memory].
    private long firstBytes;

    /// Where [#copyOut] was: the piece of the tail, or -1, and where in the message it begins.
    private int piece;

    private long pieceAt;

    /// The type of the elements; travels in the envelope.
    public ElementType type = ElementType.BYTE;

    /// For `RECV_ALLOCATE`.
    public @Nullable Allocator allocator;

    /// On [Lane#COLLECTIVE]: the operation this message is part of. What must match travels in its envelope.
    public @Nullable Collective call;

    /// Result: who sent it, as a rank of the port; `PROC_NULL` for a receive from nobody. See [#sender].
    public int source;

    /// Result: its tag.
    public int receivedTag;

    /// Result: its length; 0 for a receive from nobody.
    public long receivedBytes;

    /// Whether a probe with this pattern has found a message.
    public boolean found;

    /// Result of a cancelled receive.
    public boolean cancelled;

    protected Transfer() {
        super(Family.TRANSFER);
    }

    /// Fills in what every message has; `otherRank` as its user counts, of an intercommunicator in the
    /// remote group. The other fields keep what they had last.
    public final Transfer fill(
            String operationName, CommPort port, Kind direction, int otherRank, int messageTag, ElementType datatype) {
        operation = operationName;
        comm = port;
        kind = direction;
        lane = Lane.USER;
        peer = otherRank < 0 ? otherRank : otherRank + port.peerBase();
        tag = messageTag;
        type = datatype;
        call = null;
        lengthBytes = 0;
        cancelled = false;
        synchronous = false;
        matched = false;
        tail = List.of();
        layout = null;
        return this;
    }

    /// Makes it a message between ranks of the port, whatever group they are in, in another lane.
    public final Transfer within(Lane anotherLane, int portRank, @Nullable Collective of) {
        lane = anotherLane;
        peer = portRank;
        call = of;
        return this;
    }

    /// Result: [#source] as the user counts, of an intercommunicator in the remote group.
    public final int sender() {
        return source < 0 ? source : source - port().peerBase();
    }

    /// The memory to send from or to receive into.
    public final Transfer at(Memory where, long offset, long bytes) {
        memory = where;
        offsetBytes = offset;
        lengthBytes = bytes;
        layout = null;
        return this;
    }

    /// All bytes that `map` says of the memory.
    public final Transfer at(Memory where, Layout map) {
        at(where, 0, map.lengthBytes());
        layout = map;
        return this;
    }

    /// As [#at]; the message goes on with `pieces`, which stay as they are until it is done.
    public final Transfer at(Memory where, long offset, long bytes, List<MemorySegment> pieces) {
        at(where, offset, bytes);
        firstBytes = bytes;
        tail = pieces;
        for (int i = 0; i < pieces.size(); i++) lengthBytes += pieces.get(i).byteSize();
        piece = -1;
        pieceAt = 0;
        return this;
    }

    /// Of a send: copies `bytes` of the message, from its byte `from` on. Quick from front to back.
    public final void copyOut(long from, MemorySegment to, long toOffset, long bytes) {
        Layout map = layout;
        if (map != null) {
            map.pack(memory.segment(), offsetBytes, from, to, toOffset, bytes);
            return;
        }
        if (tail.isEmpty()) {
            MemorySegment.copy(memory.segment(), offsetBytes + from, to, toOffset, bytes);
            return;
        }
        if (from < pieceAt) {
            piece = -1;
            pieceAt = 0;
        }
        for (long done = 0; done < bytes; ) {
            long within = from + done - pieceAt;
            long pieceBytes = piece < 0 ? firstBytes : tail.get(piece).byteSize();
            if (within >= pieceBytes) {
                pieceAt += pieceBytes;
                piece++;
                continue;
            }
            long n = Math.min(bytes - done, pieceBytes - within);
            if (piece < 0) MemorySegment.copy(memory.segment(), offsetBytes + within, to, toOffset + done, n);
            else MemorySegment.copy(tail.get(piece), within, to, toOffset + done, n);
            done += n;
        }
    }

    /// Of a receive into [#memory]: puts `bytes` of the message, from its byte `at` on, where they belong.
    public final void copyIn(long at, MemorySegment from, long fromOffset, long bytes) {
        Layout map = layout;
        if (map != null) map.unpack(memory.segment(), offsetBytes, at, from, fromOffset, bytes);
        else MemorySegment.copy(from, fromOffset, memory.segment(), offsetBytes + at, bytes);
    }
}
