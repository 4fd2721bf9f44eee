package org.tutti.shm.channel;

import java.lang.invoke.VarHandle;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Shared;

/// The receiving side of a ring; drawn in [RingProducer].
public final class RingConsumer {
    /// Whole messages that were received are told when they are so many bytes.
    private static final int RECEIVED_STEP = 32 << 10;

    private final Shared memory;
    private final long base;
    private final int capacity;
    private final int sender;
    private long consumed;
    private long told;
    private long received;
    private long toldReceived;
    private boolean lastAnswersTaken;

    /// Of the ring at `base`, as its producer has described it.
    public RingConsumer(Shared memory, long base) {
        this(memory, base, memory.getInt(base + RingProducer.CAPACITY), sender(memory, base));
    }

    public RingConsumer(Shared memory, long base, int capacity, int sender) {
        this.memory = memory;
        this.base = base;
        this.capacity = capacity;
        this.sender = sender;
    }

    /// Whose ring it is, as its producer has described it.
    public static int sender(Shared memory, long base) {
        return memory.getInt(base + RingProducer.SENDER);
    }

    /// Number of the producer's process.
    public int sender() {
        return sender;
    }

    /// Where the next record is, or would be.
    public long position() {
        return base + RingProducer.DATA + ((int) consumed & (capacity - 1));
    }

    /// The next record's word, 0 while there is none. Needs no lock: a wrong answer is a look too many or too
    /// early.
    public long peek() {
        return memory.getLongAcquire(position());
    }

    /// Leaves the record at [#position], whose word is `word`. Returns true when the producer asked to be
    /// woken.
    public boolean advance(long word) {
        consumed += RecordDescriptor.bytes(word);
        if (consumed - told < capacity / 4) return false;
        tell();
        VarHandle.fullFence();
        if (memory.getIntAcquire(base + RingProducer.WAITS) == 0) return false;
        memory.setIntRelease(base + RingProducer.WAITS, 0);
        return true;
    }

    /// What lies behind the head.
    public Extents.Extent data() {
        return new Extents.Extent(base + RingProducer.DATA, capacity);
    }

    /// Where the answers lie that the producer, which has left, had no room for; 0 when there are none. Once.
    public long takeLastAnswers() {
        long at = lastAnswersTaken ? 0 : memory.getLongAcquire(base + RingProducer.LAST_ANSWERS);
        lastAnswersTaken |= at != 0;
        return at;
    }

    /// Whole messages, of so many bytes with their records, have found their receives.
    public void received(int bytes) {
        received += bytes;
        if (received - toldReceived < RECEIVED_STEP) return;
        toldReceived = received;
        memory.setLongRelease(base + RingProducer.RECEIVED, received);
    }

    /// Tells the producer how far this side has come.
    public void tell() {
        told = consumed;
        memory.setLongRelease(base + RingProducer.CONSUMED, consumed);
    }
}
