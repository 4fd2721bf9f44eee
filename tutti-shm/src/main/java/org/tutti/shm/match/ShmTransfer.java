package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.layout.Moves;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;

/// A message as this engine keeps it: in at most one queue at a time, through `next`.
public final class ShmTransfer extends Transfer {
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

    /// The message that a taking probe found for it, while [#matched].
    public @Nullable Arrival found;

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

    /// Of a receive: brings bytes of the message home; rooms are filled from front to back.
    public void fill(long at, MemorySegment from, long fromOffset, long bytes) {
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
        if (kind != Kind.RECV_ALLOCATE) {
            if (layout == null) {
                send.copyOut(0, memory.segment(), offsetBytes, bytes);
            } else if (send.layout == null && send.tail.isEmpty()) {
                copyIn(0, send.memory.segment(), send.offsetBytes, bytes);
            } else {
                long part;
                for (long done = 0; done < bytes; done += part) {
                    part = Math.min(bytes - done, bounce.byteSize());
                    send.copyOut(done, bounce, 0, part);
                    copyIn(done, bounce, 0, part);
                }
            }
            return;
        }
        for (long done = 0; done < bytes; done = roomEnd) {
            if (done == roomEnd) nextRoom();
            send.copyOut(done, memory.segment(), 0, roomEnd - done);
        }
    }

    boolean takes(int fromRank, int messageTag) {
        return (peer == fromRank || peer == ANY_SOURCE) && (tag == messageTag || tag == ANY_TAG);
    }
}
