package org.tutti.lab.micro;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.channel.RingProducer;
import org.tutti.shm.segment.Shared;

/// Writes a message of 8 bytes into a ring and takes it out again.
public class RingRecord extends PieceCopy {
    private static final int CAPACITY = 1 << 16, BYTES = 8;

    private final Shared memory =
            new Shared(Arena.global().allocate(RingProducer.DATA + CAPACITY, RecordDescriptor.LINE));
    private final RingProducer producer = new RingProducer(memory, 0, CAPACITY);
    private final RingConsumer consumer = new RingConsumer(memory, 0, CAPACITY, 0);
    private final MemorySegment user = MemorySegment.ofArray(new byte[BYTES]);

    @Benchmark
    public long writeAndTake() {
        long at = producer.reserve(RecordDescriptor.LINE);
        memory.setLong(at + RecordDescriptor.LENGTH, BYTES);
        memory.put(user, 0, at + RecordDescriptor.PAYLOAD, BYTES);
        producer.publish(at, RecordDescriptor.LINE, RecordDescriptor.EAGER, 0, 0);
        long word = consumer.peek();
        memory.take(consumer.position() + RecordDescriptor.PAYLOAD, user, 0, BYTES);
        consumer.advance(word);
        return word;
    }
}
