package org.tutti.lab.stress;

import java.lang.foreign.Arena;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.channel.RingProducer;
import org.tutti.shm.segment.Shared;

/// A ring of four lines, and records of one line whose two payload words both hold their number.
final class Rings {
    private static final int LINES = 4;

    /// How many records it holds: the place of the next one is always free.
    static final int FULL = LINES - 1;

    private static final int CAPACITY = LINES * RecordDescriptor.LINE;

    final Shared memory = new Shared(Arena.ofAuto().allocate(RingProducer.DATA + CAPACITY, RecordDescriptor.LINE));
    final RingProducer producer = new RingProducer(memory, 0, CAPACITY);
    final RingConsumer consumer = new RingConsumer(memory, 0, CAPACITY, 0);

    /// Publishes record `number`; false when there is no room.
    boolean produce(long number) {
        long at = producer.reserve(RecordDescriptor.LINE);
        if (at < 0) return false;
        memory.setLong(at + RecordDescriptor.PAYLOAD, number);
        memory.setLong(at + RecordDescriptor.PAYLOAD + 8, number);
        producer.publish(at, RecordDescriptor.LINE, RecordDescriptor.EAGER, 0, 0);
        return true;
    }

    /// The number of the next record; 0 when there is none, -1 when its payload is incomplete.
    long look() {
        if (consumer.peek() == 0) return 0;
        long at = consumer.position();
        long first = memory.getLong(at + RecordDescriptor.PAYLOAD);
        long second = memory.getLong(at + RecordDescriptor.PAYLOAD + 8);
        return first == second ? first : -1;
    }

    /// Leaves the record; true when the producer is to be woken.
    boolean leave() {
        return consumer.advance(consumer.peek());
    }
}
