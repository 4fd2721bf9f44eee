package org.tutti.shm.match;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Moves;

/// A message as this engine keeps it: in at most one queue at a time, through `next`.
public final class ShmTransfer extends Transfer {
    private static final int LONGEST_ARRAY = 1 << 30;

    @Nullable
    ShmTransfer next;

    /// Whether it lies in a [MatchContext]'s queue of posted receives.
    boolean posted;

    /// The context it travels in: the communicator's for its lane.
    public long context;

    /// Of a long message: where the other side keeps it.
    public int partner;

    /// Of a long message: bytes moved so far, and bytes to be moved.
    public long moved;

    public long wanted;

    /// Of a send that was offered: the receiver finds its bytes in the segment, even after this rank has
    /// left.
    public boolean outlives;

    /// Of a send that was offered: only because its receiver has so much of this rank that it has not received.
    public boolean isEarly;

    /// The message that a taking probe found for it, while [#matched].
    public @Nullable Arrival found;

    /// The only thread that may touch its memory, which is of a confined arena; null where any may.
    public @Nullable Thread owner;

    /// Of a send that has an [#owner]: other threads have called, so it is copied when it is not written at
    /// once.
    public boolean copiedLater;

    /// Of a send: its message, taken out of its memory by its owner. Of a receive: what another thread has
    /// brought for its owner, from byte `keptFrom` on.
    private @Nullable MemorySegment kept;

    private long keptFrom;

    /// Of a receive: why its bytes found no place.
    public @Nullable Throwable problem;

    /// Of a receive into rooms that are asked for one after the other: where in the message the one in
    /// `memory` begins and ends.
    private long roomAt;

    private long roomEnd;

    /// Asks for the first room for a message of `bytes`.
    public void firstRoom(long bytes) {
        roomEnd = 0;
        lengthBytes = bytes;
        nextRoom();
    }

    private void nextRoom() {
        Allocator a = allocator;
        if (a == null) throw new IllegalStateException(operation + ": a receive that has nowhere to go");
        MemorySegment room = a.allocate(lengthBytes - roomEnd);
        memory = Memory.of(room);
        offsetBytes = 0;
        roomAt = roomEnd;
        roomEnd = Math.min(lengthBytes, roomAt + room.byteSize());
    }

    /// It begins: `by` is the only thread that may touch its memory, null where any may.
    public void begin(@Nullable Thread by, boolean isCopiedLater) {
        owner = by;
        copiedLater = by != null && isCopiedLater;
        kept = null;
        problem = null;
    }

    /// Whether the calling thread may not touch its memory.
    public boolean isOthers() {
        Thread o = owner;
        return o != null && o != Thread.currentThread() && (kind != Kind.SEND || kept == null);
    }

    /// Of a send: takes the message out of its memory, once.
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

    /// Of a send: copies `bytes` of the message, from its byte `from` on.
    public void read(long from, MemorySegment to, long toOffset, long bytes) {
        MemorySegment k = kept;
        if (k != null) MemorySegment.copy(k, from, to, toOffset, bytes);
        else if (layout == null && tail.isEmpty())
            Moves.copy(memory.segment(), offsetBytes + from, to, toOffset, bytes);
        else copyOut(from, to, toOffset, bytes);
    }

    /// The same into the job's memory.
    public void read(long from, Shared to, long at, long bytes) {
        MemorySegment k = kept;
        if (k != null) to.put(k, from, at, bytes);
        else if (layout == null && tail.isEmpty()) to.put(memory.segment(), offsetBytes + from, at, bytes);
        else copyOut(from, to.segment(), at, bytes);
    }

    /// Of a receive: whether its owner has to [#unpack] what another thread has brought.
    public boolean isKept() {
        return kept != null;
    }

    /// Of a receive: by its owner.
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

    /// Of a receive: brings bytes of the message home; rooms are filled from front to back.
    public void fill(long at, MemorySegment from, long fromOffset, long bytes) {
        if (kept != null || isOthers()) {
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

    /// The same from a send of this very rank, through `bounce` if neither lies in one run.
    public void fill(ShmTransfer send, long bytes, MemorySegment bounce) {
        if (isOthers()) {
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
