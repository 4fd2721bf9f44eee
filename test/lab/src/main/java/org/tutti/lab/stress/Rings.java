package org.tutti.lab.stress;

import java.lang.foreign.Arena;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.channel.RingProducer;
import org.tutti.shm.segment.Shared;

/// A ring of four lines. A record occupies one line and contains the number of the record in two payload longs.
final class Rings {
    private static final int LINES = 4;

    /// The number of records in a full ring, in which the slot of the next record is free.
    static final int FULL = LINES - 1;

    private static final int CAPACITY = LINES * RecordDescriptor.LINE;

    final Shared memory = new Shared(Arena.ofAuto().allocate(RingProducer.DATA + CAPACITY, RecordDescriptor.LINE));
    final RingProducer producer = new RingProducer(memory, 0, CAPACITY);
    final RingConsumer consumer = new RingConsumer(memory, 0, CAPACITY, 0);

    /// Publishes record `number`; returns false if the ring is full.
    boolean produce(long number) {
        long at = producer.reserve(RecordDescriptor.LINE);
        if (at < 0) return false;
        memory.setLong(at + RecordDescriptor.PAYLOAD, number);
        memory.setLong(at + RecordDescriptor.PAYLOAD + 8, number);
        producer.publish(at, RecordDescriptor.LINE, RecordDescriptor.EAGER, 0, 0);
        return true;
    }

    /// Returns the number of the next record, 0 if the ring is empty, or -1 if the payload is incomplete.
    long peek() {
        if (consumer.peek() == 0) return 0;
        long at = consumer.position();
        long first = memory.getLong(at + RecordDescriptor.PAYLOAD);
        long second = memory.getLong(at + RecordDescriptor.PAYLOAD + 8);
        return first == second ? first : -1;
    }

    /// Removes the record, and returns true if the producer must be woken.
    boolean leave() {
        return consumer.advance(consumer.peek());
    }
}
