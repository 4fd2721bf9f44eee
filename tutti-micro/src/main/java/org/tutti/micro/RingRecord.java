package org.tutti.micro;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.shm.channel.Record;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.channel.RingProducer;
import org.tutti.shm.segment.Shared;

/// A message of 8 bytes is written into a ring and taken out again.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class RingRecord {
    private static final int CAPACITY = 1 << 16, BYTES = 8;

    private final Shared memory = new Shared(Arena.global().allocate(RingProducer.DATA + CAPACITY, Record.LINE));
    private final RingProducer producer = new RingProducer(memory, 0, CAPACITY);
    private final RingConsumer consumer = new RingConsumer(memory, 0, CAPACITY, 0);
    private final MemorySegment user = MemorySegment.ofArray(new byte[BYTES]);

    @Benchmark
    public long writeAndTake() {
        long at = producer.reserve(Record.LINE);
        memory.setLong(at + Record.LENGTH, BYTES);
        memory.put(user, 0, at + Record.PAYLOAD, BYTES);
        producer.publish(at, Record.LINE, Record.EAGER, 0, 0);
        long word = consumer.peek();
        memory.take(consumer.position() + Record.PAYLOAD, user, 0, BYTES);
        consumer.advance(word);
        return word;
    }
}
