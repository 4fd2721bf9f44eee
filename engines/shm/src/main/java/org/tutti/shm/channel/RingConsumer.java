package org.tutti.shm.channel;

import java.lang.invoke.VarHandle;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Shared;

/// The receiving end of a ring. The ring is drawn in [RingProducer].
public final class RingConsumer {
    /// The interval, in bytes, at which the number of received bytes is published.
    private static final int RECEIVED_STEP = 32 << 10;

    private final Shared memory;
    private final long base;
    private final int capacity;
    private final int sender;
    private long consumed;
    private long published;
    private long received;
    private long publishedReceived;
    private boolean lastAnswersTaken;

    /// Creates the consumer of the ring at `base`, which the producer has described in the ring's head.
    public RingConsumer(Shared memory, long base) {
        this(memory, base, memory.getInt(base + RingProducer.CAPACITY), sender(memory, base));
    }

    public RingConsumer(Shared memory, long base, int capacity, int sender) {
        this.memory = memory;
        this.base = base;
        this.capacity = capacity;
        this.sender = sender;
    }

    /// Returns the number of the producer's process, which is stored in the ring's head.
    public static int sender(Shared memory, long base) {
        return memory.getInt(base + RingProducer.SENDER);
    }

    /// Returns the number of the producer's process.
    public int sender() {
        return sender;
    }

    /// Returns the position of the next record.
    public long position() {
        return base + RingProducer.DATA + ((int) consumed & (capacity - 1));
    }

    /// Returns the next record's word, or 0 if there is no record. Needs no lock: a stale value only causes a
    /// poll without effect.
    public long peek() {
        return memory.getLongAcquire(position());
    }

    /// Consumes the record at [#position] with header `word`. Returns true if the producer has requested a
    /// wake-up.
    public boolean advance(long word) {
        consumed += RecordDescriptor.bytes(word);
        if (consumed - published < capacity / 4) return false;
        publish();
        VarHandle.fullFence();
        if (memory.getIntAcquire(base + RingProducer.WAITS) == 0) return false;
        memory.setIntRelease(base + RingProducer.WAITS, 0);
        return true;
    }

    /// Returns the data area of the ring.
    public Extents.Extent data() {
        return new Extents.Extent(base + RingProducer.DATA, capacity);
    }

    /// Returns the offset of the answers that did not fit into the ring when the producer left; 0 if there are
    /// none, and on later calls.
    public long takeLastAnswers() {
        long at = lastAnswersTaken ? 0 : memory.getLongAcquire(base + RingProducer.LAST_ANSWERS);
        lastAnswersTaken |= at != 0;
        return at;
    }

    /// Adds `bytes`, the size of matched messages including record headers, to the number of received bytes.
    public void received(int bytes) {
        received += bytes;
        if (received - publishedReceived < RECEIVED_STEP) return;
        publishedReceived = received;
        memory.setLongRelease(base + RingProducer.RECEIVED, received);
    }

    /// Publishes the consumer's position to the producer.
    public void publish() {
        published = consumed;
        memory.setLongRelease(base + RingProducer.CONSUMED, consumed);
    }
}
