package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.type.ElementType;

/// The envelope of a message that arrived, and, while no receive fits, what is known of its bytes: a copy
/// (`EAGER`), a place at the sender (`OFFER`), or a send of this very rank (`SELF`). Taken from a pool.
public final class Arrival {
    /// What it is.
    public enum Kind {
        EAGER,
        OFFER,
        SELF
    }

    private static final int KEPT_BYTES = 16 << 10;

    /// About what it takes without its room.
    private static final int OWN_BYTES = 160;

    @Nullable
    Arrival next;

    public Kind kind = Kind.EAGER;

    /// World rank of the sender.
    public int sender;

    /// Rank of the sender in the communicator.
    public int source;

    public int tag;
    public int typeCode;

    /// Of elements of several types.
    public int signature;

    public long length;
    public boolean hasCall;
    public long callA;
    public long callB;
    public long callC;

    /// Of an `EAGER`: its sender waits for an answer.
    public boolean asks;

    /// Of an `OFFER`, or where [#asks]: the sender's number for it.
    public int sendId;

    /// Of an `OFFER`: where its bytes lie in the segment, or -1.
    public long place;

    /// Of a `SELF`.
    public @Nullable ShmTransfer send;

    /// Of an `EAGER` that is kept: by how many bytes it counts as not received.
    public int charge;

    private byte[] room = new byte[0];
    private MemorySegment copy = MemorySegment.ofArray(room);

    /// Whether its elements are of the same basic types as those of a receive of `type`, as far as it goes.
    public boolean isOf(ElementType type) {
        if (typeCode == type.code() && !type.isMixed()) return true;
        ElementType sent = ElementType.ofCode(typeCode);
        if (!type.isMixed() || sent == ElementType.OBJECT || sent == ElementType.PACKED) return sent.matches(type);
        return type.signatureHash(length) == (sent.isMixed() ? signature : sent.signatureHash(length));
    }

    /// The one behind it in its queue.
    public @Nullable Arrival next() {
        return next;
    }

    /// Room for a copy of an eager message.
    public MemorySegment roomFor(int bytes) {
        if (room.length < bytes) {
            room = new byte[Math.max(bytes, 64)];
            copy = MemorySegment.ofArray(room);
        }
        return copy;
    }

    /// The copy's bytes.
    public MemorySegment copy() {
        return copy;
    }

    /// What it takes while it lies in the pool.
    long pooledBytes() {
        return (long) OWN_BYTES + room.length;
    }

    void clean() {
        next = null;
        send = null;
        hasCall = false;
        charge = 0;
        asks = false;
        if (room.length > KEPT_BYTES) {
            room = new byte[0];
            copy = MemorySegment.ofArray(room);
        }
    }

    /// Reads the two words of an offer.
    public void readOffer(Shared memory, long at) {
        kind = Kind.OFFER;
        sendId = (int) memory.getLong(at);
        place = memory.getLong(at + 8);
    }
}
