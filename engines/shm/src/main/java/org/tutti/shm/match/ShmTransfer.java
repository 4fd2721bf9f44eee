package org.tutti.shm.match;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Moves;

/// A message of this engine. It is in at most one queue at a time; queues are linked through `next`.
public final class ShmTransfer extends Transfer {
    private static final int LONGEST_ARRAY = 1 << 30;

    @Nullable
    ShmTransfer next;

    /// Whether this message is in a [MatchContext]'s queue of posted receives.
    boolean posted;

    /// The communicator's context for the lane of the message.
    public long context;

    /// For a long message: the id of the message at the other rank.
    public int partner;

    /// For a long message: the number of bytes moved so far. The next field is the number of bytes to move.
    public long moved;

    public long wanted;

    /// For an offered send: whether the receiver reads the data from the segment, which is possible even after
    /// this rank has left.
    public boolean outlives;

    /// For an offered send: whether it was offered only because of flow control.
    public boolean isEarly;

    /// The message that a matched probe has reserved for this receive; valid while [#matched].
    public @Nullable Arrival found;

    /// The only thread that may access the memory, if the memory is confined; null if any thread may.
    public @Nullable Thread owner;

    /// For a send with an [#owner]: whether the data must be copied unless it can be written to the ring
    /// immediately. This is the case if other threads of this rank have started operations: one of them, which
    /// must not access the memory, could execute a later write.
    public boolean copiedLater;

    /// For a send: the data, which the owner has copied from the buffer. For a receive: the data that other
    /// threads have received for the owner, starting at byte `keptFrom` of the message.
    private @Nullable MemorySegment kept;

    private long keptFrom;

    /// For a receive: the reason why the data could not be stored.
    public @Nullable Throwable problem;

    /// For a receive into buffers that are allocated one after another: the position in the message at which
    /// the part in `memory` starts. The next field is the position at which the part ends.
    private long roomAt;

    private long roomEnd;

    /// Allocates the first buffer for a message of `bytes` bytes.
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

    /// Copies the data of a send out of the buffer, unless it has been copied already.
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

    /// Copies `bytes` bytes of a send, starting at byte `from` of the message.
    public void read(long from, MemorySegment to, long toOffset, long bytes) {
        MemorySegment k = kept;
        if (k != null) MemorySegment.copy(k, from, to, toOffset, bytes);
        else if (layout == null && tail.isEmpty())
            Moves.copy(memory.segment(), offsetBytes + from, to, toOffset, bytes);
        else copyOut(from, to, toOffset, bytes);
    }

    /// Copies `bytes` bytes of a send into the job's memory.
    public void read(long from, Shared to, long at, long bytes) {
        MemorySegment k = kept;
        if (k != null) to.put(k, from, at, bytes);
        else if (layout == null && tail.isEmpty()) to.put(memory.segment(), offsetBytes + from, at, bytes);
        else copyOut(from, to.segment(), at, bytes);
    }

    /// Returns whether the owner of a receive must [#unpack] data that other threads have received.
    public boolean isKept() {
        return kept != null;
    }

    /// Copies the stored data of a receive into the buffer. Called by the owner.
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

    /// Stores bytes of the message in the buffer of a receive. Allocated buffers are filled in order.
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

    /// Stores the message of a send of the same rank. If neither buffer is contiguous, the data is copied
    /// through `bounce`.
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
