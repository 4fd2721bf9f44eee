package org.tutti.shm.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.shm.segment.Shared;

class RingTest {
    private static final int CAPACITY = 2048;

    private final Shared memory = new Shared(Arena.ofAuto().allocate(64 + RingProducer.DATA + CAPACITY, 64));
    private final RingProducer producer = new RingProducer(memory, 64, CAPACITY);
    private final RingConsumer consumer = new RingConsumer(memory, 64, CAPACITY, 7);

    private boolean write(int payload, long value) {
        int size = RecordDescriptor.sizeOf(RecordDescriptor.PAYLOAD, payload);
        long at = producer.reserve(size);
        if (at < 0) return false;
        memory.segment().asSlice(at + RecordDescriptor.PAYLOAD, payload).fill((byte) -1);
        memory.setLong(at + RecordDescriptor.LENGTH, value);
        producer.publish(at, size, RecordDescriptor.EAGER, 3, 0);
        return true;
    }

    /// Returns the value of the next message, or -1.
    private long read() {
        for (long word = consumer.peek(); word != 0; word = consumer.peek()) {
            long value = memory.getLong(consumer.position() + RecordDescriptor.LENGTH);
            boolean message = RecordDescriptor.kind(word) == RecordDescriptor.EAGER;
            if (message) assertThat(RecordDescriptor.typeCode(word)).isEqualTo(3);
            consumer.advance(word);
            if (message) return value;
        }
        return -1;
    }

    @Test
    void anEmptyRingHasNoRecord() {
        assertThat(consumer.peek()).isZero();
    }

    @Test
    void aReservedRecordIsInvisibleUntilPublished() {
        producer.reserve(64);
        assertThat(consumer.peek()).isZero();
    }

    /// Finds the records that the consumer left, at any position of the consumer. The position is published
    /// immediately before the search.
    @Test
    void theProducerReadsRecordsLeftByTheConsumer() {
        SplittableRandom random = new SplittableRandom(43);
        ArrayDeque<Long> left = new ArrayDeque<>();
        for (long i = 0; i < 2_000; i++) {
            if (write(random.nextInt(producer.largestRecord() - RecordDescriptor.PAYLOAD + 1), i)) left.add(i);
            if (random.nextInt(3) == 0 && !left.isEmpty()) assertThat(read()).isEqualTo(left.remove());
            ArrayDeque<Long> found = new ArrayDeque<>();
            consumer.publish();
            producer.unread((at, word) -> {
                if (RecordDescriptor.kind(word) == RecordDescriptor.EAGER)
                    found.add(memory.getLong(at + RecordDescriptor.LENGTH));
            });
            assertThat(found).as("after %s messages", i).containsExactlyElementsOf(left);
        }
    }

    @Test
    void recordsOfAnySizeArriveInOrder() {
        SplittableRandom random = new SplittableRandom(42);
        Queue<Long> expected = new ArrayDeque<>();
        for (long i = 0; i < 20_000; i++) {
            if (write(random.nextInt(producer.largestRecord() - RecordDescriptor.PAYLOAD + 1), i)) expected.add(i);
            if (random.nextInt(3) == 0 || expected.size() > 3) {
                assertThat(read()).isEqualTo(expected.isEmpty() ? -1 : expected.remove());
            }
        }
        while (!expected.isEmpty()) assertThat(read()).isEqualTo(expected.remove());
        assertThat(read()).isEqualTo(-1);
    }

    @Test
    void aFullRingRefusesAndKeepsItsRecords() {
        int written = 0;
        while (write(100, written)) written++;
        assertThat(written).isEqualTo(CAPACITY / 192);
        assertThat(producer.hasRoom(192)).isFalse();
        for (int i = 0; i < written; i++) assertThat(read()).isEqualTo(i);
        assertThat(read()).isEqualTo(-1);
    }

    @Test
    void theLargestRecordFitsAtAnyPositionOfAnEmptyRing() {
        for (int offset = 0; offset < CAPACITY / 64; offset++) {
            assertThat(write(0, 1)).isTrue();
            assertThat(read()).isEqualTo(1);
            assertThat(write(producer.largestRecord() - RecordDescriptor.PAYLOAD, 2))
                    .as("offset %d", offset)
                    .isTrue();
            assertThat(read()).isEqualTo(2);
        }
    }

    @Test
    void aWaitingProducerIsWokenOnceWhenThereIsSpace() {
        while (write(400, 1)) continue;
        producer.announceWait();
        int wakeUps = 0;
        for (long word = consumer.peek(); word != 0; word = consumer.peek()) if (consumer.advance(word)) wakeUps++;
        assertThat(wakeUps).isEqualTo(1);
        assertThat(producer.hasRoom(producer.largestRecord())).isTrue();
    }
}
