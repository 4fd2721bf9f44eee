package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.type.ElementType;

/// The envelope of an arrived message and, until a receive matches, the source of the data: a copy (`EAGER`), a
/// location at the sender (`OFFER`), or a send of the same rank (`SELF`). Pooled.
public final class Arrival {
    /// Where the data is.
    public enum Kind {
        EAGER,
        OFFER,
        SELF
    }

    private static final int KEPT_BYTES = 16 << 10;

    /// Approximate size of an object without the copy, in bytes.
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

    /// Signature hash of a message with elements of several types.
    public int signature;

    public long length;
    public boolean hasCall;
    public long callA;
    public long callB;
    public long callC;

    /// Of an `EAGER`: whether the sender waits for an answer.
    public boolean asks;

    /// The sender's id of the send, of an `OFFER` or with [#asks].
    public int sendId;

    /// Of an `OFFER`: offset of the data in the segment, or -1.
    public long place;

    /// Of a `SELF`: the send.
    public @Nullable ShmTransfer send;

    /// Of a stored `EAGER`: unreceived bytes charged to the sender.
    public int charge;

    private byte[] room = new byte[0];
    private MemorySegment copy = MemorySegment.ofArray(room);

    /// Returns whether the elements match the basic types of a receive of `type`, as far as the message
    /// extends.
    public boolean isOf(ElementType type) {
        if (typeCode == type.code() && !type.isMixed()) return true;
        ElementType sent = ElementType.ofCode(typeCode);
        if (!type.isMixed() || sent == ElementType.OBJECT || sent == ElementType.PACKED) return sent.matches(type);
        return type.signatureHash(length) == (sent.isMixed() ? signature : sent.signatureHash(length));
    }

    /// Returns the next arrival in the queue.
    public @Nullable Arrival next() {
        return next;
    }

    /// Returns memory for the copy of an eager message.
    public MemorySegment roomFor(int bytes) {
        if (room.length < bytes) {
            room = new byte[Math.max(bytes, 64)];
            copy = MemorySegment.ofArray(room);
        }
        return copy;
    }

    /// Returns the copied data.
    public MemorySegment copy() {
        return copy;
    }

    /// Returns the size of this object in the pool, in bytes.
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

    /// Reads the data of an `OFFER` record.
    public void readOffer(Shared memory, long at) {
        kind = Kind.OFFER;
        sendId = (int) memory.getLong(at);
        place = memory.getLong(at + 8);
    }
}
