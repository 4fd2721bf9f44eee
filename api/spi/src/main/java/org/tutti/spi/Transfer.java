package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// One message, sent or received. [Engine#transfer] returns a blank message. The public fields belong to the
/// caller until the transfer is started, and to the engine until it is done.
public abstract non-sealed class Transfer extends Activity {
    /// The direction.
    public enum Kind {
        /// A send, in standard mode unless [Transfer#synchronous] is set. In standard mode, it is complete when
        /// the buffer can be reused (MPI 4.1, section 3.4).
        SEND,
        /// A receive into [Transfer#memory].
        RECV,
        /// A receive into memory that [Transfer#allocator] provides after the match, when the length is known.
        RECV_ALLOCATE
    }

    /// The sub-context of the communicator. Messages in one lane never match receives in a different lane.
    public enum Lane {
        USER,
        COLLECTIVE,
        /// The parts of partitioned messages, with tags that the sender has chosen, and the messages with tag 0
        /// in which a sender announces the parts. An announcement begins with the program's tag, an `int`.
        PARTITIONED,
        /// Messages of Tutti that belong to no collective call, for example of ranks that create a communicator
        /// while the other ranks of its parent make other calls.
        MAKING,
        /// Messages of observers that compare the collective calls of different ranks. Such observers are used
        /// over engines whose messages do not contain the signature of the call.
        CHECKING
    }

    /// Provides memory for a message of known length, in one or several pieces. The allocator is called again
    /// when the previous piece is full, and can then read the received bytes. Each call returns memory for at
    /// least one of the remaining `bytes` bytes. If it returns at least `bytes` bytes, this piece receives the
    /// rest of the message. Any thread of the rank may call the allocator, and may hold the engine's lock during
    /// the call. The allocator must not communicate. It may throw only on the first call.
    @FunctionalInterface
    public interface ReceiveAllocator {
        MemorySegment allocate(long bytes);
    }

    /// Any source, in [#peer] of a receive.
    public static final int ANY_SOURCE = -1;

    /// Any tag, in [#tag] of a receive.
    public static final int ANY_TAG = -1;

    /// No rank, in [#peer]: the message completes immediately and transfers no data (MPI 4.1, section 3.11).
    public static final int PROC_NULL = -2;

    public Kind kind = Kind.SEND;
    public Lane lane = Lane.USER;

    /// A rank of the port: destination of a send, source of a receive.
    public int peer;

    public int tag;

    /// For a send: whether it is in synchronous mode. Such a send is complete only after a matching receive has
    /// started to receive the message, or has failed (MPI 4.1, section 3.4). An [Engine#probe] with `take` does
    /// not complete the send.
    public boolean synchronous;

    /// For a receive: whether an [Engine#probe] has reserved a message for it. The receive then receives this
    /// message.
    public boolean matched;

    public Memory memory = Memory.NONE;

    /// The offset of the message in [#memory].
    public long offsetBytes;

    /// For a send: the message's length. For a receive: the size of the buffer; for `RECV_ALLOCATE`, 0 until
    /// the length is known.
    public long lengthBytes;

    /// The layout of the message in [#memory], if it is not contiguous from [#offsetBytes]: [#copyOut] packs
    /// the message, and [#copyIn] unpacks it. Lengths always describe the packed message.
    public @Nullable Layout layout;

    /// For a send: segments that follow the bytes of [#memory] in the same message. [#lengthBytes] includes
    /// these segments.
    public List<MemorySegment> tail = List.of();

    /// For a send with a tail: the number of bytes from [#memory].
    private long firstBytes;

    /// The current position of [#copyOut]: the index of the current segment of the tail, or -1 in the bytes
    /// from [#memory]. The next field is this segment's offset in the message.
    private int piece;

    private long pieceAt;

    /// The type of the elements, which the envelope contains.
    public ElementType type = ElementType.BYTE;

    /// The source of memory for `RECV_ALLOCATE`.
    public @Nullable ReceiveAllocator allocator;

    /// In [Lane#COLLECTIVE]: the collective call to which this message belongs. The envelope contains the
    /// signature of this call.
    public @Nullable Collective call;

    /// A result: the rank of the sender in the port; `PROC_NULL` for a receive from no rank. See [#sender].
    public int source;

    /// A result: the tag of the received message.
    public int receivedTag;

    /// A result: the length of the received message; 0 for a receive from no rank.
    public long receivedBytes;

    /// Whether a probe with this pattern has found a message.
    public boolean found;

    /// A result: whether the receive was cancelled.
    public boolean cancelled;

    protected Transfer() {
        super(Family.TRANSFER);
    }

    /// Fills in the fields that every message has. `otherRank` is a rank as in the API, which for an
    /// intercommunicator is a rank of the remote group. Lane, length, layout, tail and the flags except [#found]
    /// are reset; memory and allocator are not changed.
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

    /// Turns this into a message in the given lane. `portRank` is a rank of the port, and not, as in [#fill], a
    /// rank of the remote group of an intercommunicator.
    public final Transfer within(Lane anotherLane, int portRank, @Nullable Collective of) {
        lane = anotherLane;
        peer = portRank;
        call = of;
        return this;
    }

    /// Converts the result [#source] to a rank as in the API, which for an intercommunicator is a rank of the
    /// remote group.
    public final int sender() {
        return source < 0 ? source : source - port().peerBase();
    }

    /// Sets the memory to send from or to receive into.
    public final Transfer at(Memory where, long offset, long bytes) {
        memory = where;
        offsetBytes = offset;
        lengthBytes = bytes;
        layout = null;
        return this;
    }

    /// Sets the memory, with the bytes that `map` selects.
    public final Transfer at(Memory where, Layout map) {
        at(where, 0, map.lengthBytes());
        layout = map;
        return this;
    }

    /// Sets the memory as [#at] does. The message continues with `pieces`, which must not change until the
    /// message is done.
    public final Transfer at(Memory where, long offset, long bytes, List<MemorySegment> pieces) {
        at(where, offset, bytes);
        firstBytes = bytes;
        tail = pieces;
        for (int i = 0; i < pieces.size(); i++) lengthBytes += pieces.get(i).byteSize();
        piece = -1;
        pieceAt = 0;
        return this;
    }

    /// For a send: copies `bytes` bytes of the message, starting at byte `from`. Fast if the calls proceed from
    /// front to back.
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

    /// For a receive into [#memory]: stores `bytes` bytes of the message, starting at byte `at` of the message.
    public final void copyIn(long at, MemorySegment from, long fromOffset, long bytes) {
        Layout map = layout;
        if (map != null) map.unpack(memory.segment(), offsetBytes, at, from, fromOffset, bytes);
        else MemorySegment.copy(from, fromOffset, memory.segment(), offsetBytes + at, bytes);
    }
}
