package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// One message, sent or received. [Engine#transfer] returns blank ones. The public fields belong to the caller
/// until the transfer is started, and to the engine until it is done.
public abstract non-sealed class Transfer extends Activity {
    /// The direction.
    public enum Kind {
        /// A send in standard mode: complete when the buffer can be reused (MPI 4.1, section 3.4).
        SEND,
        /// A receive into [Transfer#memory].
        RECV,
        /// A receive into memory that [Transfer#allocator] provides when the length is known, after the match.
        RECV_ALLOCATE
    }

    /// The sub-context of the communicator. Messages in one lane never match receives in a different lane.
    public enum Lane {
        USER,
        COLLECTIVE,
        /// Messages in parts. The tags are numbers drawn by the sender. A message with tag 0 begins with the
        /// program's tag, an `int`, and announces the remaining parts.
        PARTITIONED,
        /// Messages of ranks that create a communicator while the other ranks of this communicator make other
        /// calls.
        MAKING,
        /// Messages of observers that compare calls, over engines with messages that do not contain the call.
        CHECKING
    }

    /// Provides memory for a message of known length, in one or several pieces. It is called again when the
    /// previous piece is full and can then read the received bytes. Each call returns memory for at least one
    /// of the remaining `bytes` bytes. Memory of `bytes` bytes or more receives the rest of the message. Called
    /// by any thread of the rank, possibly with the engine's lock. Must not communicate. May throw only on the
    /// first call.
    @FunctionalInterface
    public interface ReceiveAllocator {
        MemorySegment allocate(long bytes);
    }

    /// Any source, in [#peer] of a receive.
    public static final int ANY_SOURCE = -1;

    /// Any tag, in [#tag] of a receive.
    public static final int ANY_TAG = -1;

    /// No rank, in [#peer]: completes immediately and transfers no data (MPI 4.1, section 3.11).
    public static final int PROC_NULL = -2;

    public Kind kind = Kind.SEND;
    public Lane lane = Lane.USER;

    /// A rank of the port: destination of a send, source of a receive.
    public int peer;

    public int tag;

    /// For a send: complete only after a receive has matched it and started to receive, or failed with it
    /// (synchronous mode; MPI 4.1, section 3.4). An [Engine#probe] with `take` does not complete it.
    public boolean synchronous;

    /// For a receive: it owns the message that an [Engine#probe] took, and receives that message.
    public boolean matched;

    public Memory memory = Memory.NONE;

    /// The offset of the message in [#memory].
    public long offsetBytes;

    /// For a send: the message's length. For a receive: the size of the buffer; for `RECV_ALLOCATE` 0 until the
    /// length is known.
    public long lengthBytes;

    /// The layout of the message in [#memory], if it is not contiguous from [#offsetBytes]: [#copyOut] packs it
    /// and [#copyIn] unpacks it. Lengths always describe the packed message.
    public @Nullable Layout layout;

    /// For a send: segments that follow the bytes of [#memory] in the same message. Included in [#lengthBytes].
    public List<MemorySegment> tail = List.of();

    /// For a send with a tail: the number of bytes from [#memory].
    private long firstBytes;

    /// The current position of [#copyOut]: the index of the tail's segment, or -1, and the segment's offset in
    /// the message.
    private int piece;

    private long pieceAt;

    /// The type of the elements, which the envelope contains.
    public ElementType type = ElementType.BYTE;

    /// The source of memory for `RECV_ALLOCATE`.
    public @Nullable ReceiveAllocator allocator;

    /// In [Lane#COLLECTIVE]: the operation of this message. The envelope contains the signature of the
    /// operation.
    public @Nullable Collective call;

    /// Result: the sender, a rank of the port; `PROC_NULL` for a receive from no rank. See [#sender].
    public int source;

    /// Result: the tag.
    public int receivedTag;

    /// Result: the length; 0 for a receive from no rank.
    public long receivedBytes;

    /// Whether a probe with this pattern has found a message.
    public boolean found;

    /// Result of a cancelled receive.
    public boolean cancelled;

    protected Transfer() {
        super(Family.TRANSFER);
    }

    /// Fills in the fields of every message. `otherRank` is a rank in the API, for an intercommunicator in the
    /// remote group. The remaining fields are not changed.
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

    /// Turns this into a message between ranks of the port, regardless of groups, in the given lane.
    public final Transfer within(Lane anotherLane, int portRank, @Nullable Collective of) {
        lane = anotherLane;
        peer = portRank;
        call = of;
        return this;
    }

    /// Result: [#source] as a rank in the API, for an intercommunicator in the remote group.
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

    /// Sets the memory as [#at] does. The message continues with `pieces`, which must not change until it is
    /// done.
    public final Transfer at(Memory where, long offset, long bytes, List<MemorySegment> pieces) {
        at(where, offset, bytes);
        firstBytes = bytes;
        tail = pieces;
        for (int i = 0; i < pieces.size(); i++) lengthBytes += pieces.get(i).byteSize();
        piece = -1;
        pieceAt = 0;
        return this;
    }

    /// For a send: copies `bytes` bytes of the message, from byte `from`. Fast if called from front to back.
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

    /// For a receive into [#memory]: stores `bytes` bytes of the message, from byte `at`.
    public final void copyIn(long at, MemorySegment from, long fromOffset, long bytes) {
        Layout map = layout;
        if (map != null) map.unpack(memory.segment(), offsetBytes, at, from, fromOffset, bytes);
        else MemorySegment.copy(from, fromOffset, memory.segment(), offsetBytes + at, bytes);
    }
}
