package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.type.ElementType;

/// The envelope of an arrived message and, until a receive matches, the source of the data: a copy (`EAGER`), a
/// location at the sender (`OFFER`), or a send of the same rank (`SELF`). The objects are pooled.
public final class Arrival {
    /// Where the data of an arrived message is.
    public enum Kind {
        EAGER,
        OFFER,
        SELF
    }

    private static final int KEPT_BYTES = 16 << 10;

    /// The approximate size of an arrival without the copy of the data, in bytes.
    private static final int OWN_BYTES = 160;

    @Nullable
    Arrival next;

    public Kind kind = Kind.EAGER;

    /// The process number of the sender.
    public int sender;

    /// The rank of the sender in the communicator.
    public int source;

    public int tag;
    public int typeCode;

    /// The signature hash of a message with elements of several types.
    public int signature;

    public long length;
    public boolean hasCall;
    public long callA;
    public long callB;
    public long callC;

    /// For an `EAGER` message: whether the sender waits for an answer.
    public boolean asks;

    /// For an `OFFER`, and with [#asks]: the sender's id of the send.
    public int sendId;

    /// For an `OFFER`: the offset of the data in the segment, or -1.
    public long place;

    /// For a `SELF` message: the send.
    public @Nullable ShmTransfer send;

    /// For a stored `EAGER` message: the number of unreceived bytes that are charged to the sender.
    public int charge;

    private byte[] room = new byte[0];
    private MemorySegment copy = MemorySegment.ofArray(room);

    /// Returns whether the message's elements match the basic types of a receive of `type`; the message may be
    /// shorter than the receive.
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

    /// Reads the last two fields of an `OFFER` record, which start at `at`.
    public void readOffer(Shared memory, long at) {
        kind = Kind.OFFER;
        sendId = (int) memory.getLong(at);
        place = memory.getLong(at + 8);
    }
}
