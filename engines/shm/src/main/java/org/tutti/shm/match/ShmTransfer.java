package org.tutti.shm.match;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Moves;

/// A message of this engine, in at most one queue at a time, linked through `next`.
public final class ShmTransfer extends Transfer {
    private static final int LONGEST_ARRAY = 1 << 30;

    @Nullable
    ShmTransfer next;

    /// Whether it is in a [MatchContext]'s queue of posted receives.
    boolean posted;

    /// The communicator's context for the lane of the message.
    public long context;

    /// Of a long message: the id at the other rank.
    public int partner;

    /// Of a long message: bytes moved, and bytes to move.
    public long moved;

    public long wanted;

    /// Of an offered send: the receiver reads the data from the segment, even after this rank has left.
    public boolean outlives;

    /// Of an offered send: offered only because of flow control.
    public boolean isEarly;

    /// The message that a matched probe reserved for this receive, while [#matched].
    public @Nullable Arrival found;

    /// The only thread that may access the memory, which is confined; null if any thread may.
    public @Nullable Thread owner;

    /// Of a send with an [#owner]: other threads have called, so the data is copied unless it is written
    /// immediately.
    public boolean copiedLater;

    /// Of a send: the data, copied from the buffer by the owner. Of a receive: the data that other threads
    /// received for the owner, starting at byte `keptFrom` of the message.
    private @Nullable MemorySegment kept;

    private long keptFrom;

    /// Of a receive: why the data could not be stored.
    public @Nullable Throwable problem;

    /// The start and end, in the message, of the part in `memory`, for a receive into buffers that are allocated
    /// one after another.
    private long roomAt;

    private long roomEnd;

    /// Allocates the first buffer for a message of `bytes`.
    public void firstRoom(long bytes) {
        roomEnd = 0;
        lengthBytes = bytes;
        nextRoom();
    }

    private void nextRoom() {
        ReceiveAllocator a = allocator;
        if (a == null) throw new IllegalStateException(operation + ": the receive has no buffer and no allocator");
        MemorySegment room = a.allocate(lengthBytes - roomEnd);
        memory = Memory.of(room);
        offsetBytes = 0;
        roomAt = roomEnd;
        roomEnd = Math.min(lengthBytes, roomAt + room.byteSize());
    }

    /// Starts the transfer. `by` is the only thread that may access the memory; null if any thread may.
    public void begin(@Nullable Thread by, boolean isCopiedLater) {
        owner = by;
        copiedLater = by != null && isCopiedLater;
        kept = null;
        problem = null;
    }

    /// Returns whether the calling thread must not access the memory.
    public boolean isOwnedByOther() {
        Thread o = owner;
        return o != null && o != Thread.currentThread() && (kind != Kind.SEND || kept == null);
    }

    /// Of a send: copies the data out of the buffer, once.
    public void keep() {
        if (kept != null) return;
        MemorySegment copy = room(lengthBytes);
        copyOut(0, copy, 0, lengthBytes);
        kept = copy;
    }

    private static MemorySegment room(long bytes) {
        return bytes <= LONGEST_ARRAY
                ? MemorySegment.ofArray(new byte[(int) bytes])
                : Arena.ofAuto().allocate(bytes);
    }

    /// Of a send: copies `bytes` bytes of the message, starting at byte `from`.
    public void read(long from, MemorySegment to, long toOffset, long bytes) {
        MemorySegment k = kept;
        if (k != null) MemorySegment.copy(k, from, to, toOffset, bytes);
        else if (layout == null && tail.isEmpty())
            Moves.copy(memory.segment(), offsetBytes + from, to, toOffset, bytes);
        else copyOut(from, to, toOffset, bytes);
    }

    /// Copies into the job's memory.
    public void read(long from, Shared to, long at, long bytes) {
        MemorySegment k = kept;
        if (k != null) to.put(k, from, at, bytes);
        else if (layout == null && tail.isEmpty()) to.put(memory.segment(), offsetBytes + from, at, bytes);
        else copyOut(from, to.segment(), at, bytes);
    }

    /// Of a receive: whether the owner must [#unpack] data that other threads received.
    public boolean isKept() {
        return kept != null;
    }

    /// Of a receive: copies the stored data into the buffer; called by the owner.
    public void unpack() {
        MemorySegment k = kept;
        if (k == null) return;
        kept = null;
        fill(keptFrom, k, keptFrom, moved - keptFrom);
    }

    private MemorySegment keptFor(long at, long end) {
        MemorySegment k = kept;
        if (k == null) {
            k = room(Math.max(wanted, end));
            kept = k;
            keptFrom = at;
        }
        return k;
    }

    /// Of a receive: stores bytes of the message. Allocated buffers are filled in order.
    public void fill(long at, MemorySegment from, long fromOffset, long bytes) {
        if (kept != null || isOwnedByOther()) {
            MemorySegment.copy(from, fromOffset, keptFor(at, at + bytes), at, bytes);
            return;
        }
        if (kind != Kind.RECV_ALLOCATE) {
            if (layout == null) Moves.copy(from, fromOffset, memory.segment(), offsetBytes + at, bytes);
            else copyIn(at, from, fromOffset, bytes);
            return;
        }
        for (long done = 0; done < bytes; ) {
            if (at + done == roomEnd) nextRoom();
            long n = Math.min(bytes - done, roomEnd - at - done);
            Moves.copy(from, fromOffset + done, memory.segment(), at + done - roomAt, n);
            done += n;
        }
    }

    /// Stores a message from a send of the same rank, through `bounce` if neither buffer is contiguous.
    public void fill(ShmTransfer send, long bytes, MemorySegment bounce) {
        if (isOwnedByOther()) {
            send.read(0, keptFor(0, bytes), 0, bytes);
            return;
        }
        if (kind != Kind.RECV_ALLOCATE) {
            if (layout == null) {
                send.read(0, memory.segment(), offsetBytes, bytes);
            } else if (send.kept == null && send.layout == null && send.tail.isEmpty()) {
                copyIn(0, send.memory.segment(), send.offsetBytes, bytes);
            } else {
                long part;
                for (long done = 0; done < bytes; done += part) {
                    part = Math.min(bytes - done, bounce.byteSize());
                    send.read(done, bounce, 0, part);
                    copyIn(done, bounce, 0, part);
                }
            }
            return;
        }
        for (long done = 0; done < bytes; done = roomEnd) {
            if (done == roomEnd) nextRoom();
            send.read(done, memory.segment(), 0, roomEnd - done);
        }
    }

    boolean takes(int fromRank, int messageTag) {
        return (peer == fromRank || peer == ANY_SOURCE) && (tag == messageTag || tag == ANY_TAG);
    }
}
