package org.tutti.shm.channel;

import java.lang.foreign.MemorySegment;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Shared;

/// The sending end of a ring.
///
///     0           8           64                72              80        84          88        128
///     | consumed  | received  | producer waits  | last answers  | sender  | capacity  | before  |  data …
///
///     consumed, received, last answers, before: int64; producer waits, sender, capacity: int32
///     data        `capacity` bytes, a power of two
///
/// A record's first word is stored last, after 0 at the position of the next record. The consumer therefore
/// sees either a complete record or none. The consumer never writes to the data area. `consumed` is the total
/// number of bytes consumed so far. The consumer publishes it only at intervals, so a producer without space
/// may find space shortly afterwards. Before a producer sleeps for lack of space, it sets `producer waits`.
/// `received` counts the bytes of matched complete messages, and is also published at intervals. When a
/// producer leaves, the ring may have no space for its last answers to offers. These answers are then stored in
/// separate memory: the number of answers, followed by the send ids, each an int64; the id of a refused message
/// is stored as the bitwise complement. `last answers` is the offset of this memory; 0 if there are no such
/// answers. `sender` and `capacity` describe the ring to the consumer. `before` is used by the segment to link
/// the rings of a rank.
public final class RingProducer {
    public static final int DATA = 128;
    static final int CONSUMED = 0, RECEIVED = 8, WAITS = 64, LAST_ANSWERS = 72, SENDER = 80, CAPACITY = 84;

    /// Called by [#unread] for each record.
    public interface Reader {
        void read(long at, long word);
    }

    private final Shared memory;
    private final long base;
    private final int capacity;
    private long produced;
    private long consumed;

    /// The position up to which all lines after `produced` begin with 0, so that a record can start on any of
    /// these lines.
    private long cleared;

    /// Creates the producer of the ring at `base`. The data area has `capacity` bytes, which must all be 0.
    public RingProducer(Shared memory, long base, int capacity) {
        this.memory = memory;
        this.base = base;
        this.capacity = capacity;
    }

    /// Describes the ring to the consumer before the ring is published.
    public void describe(int sender) {
        memory.setInt(base + SENDER, sender);
        memory.setInt(base + CAPACITY, capacity);
    }

    /// Returns the maximum size of a record. It fits at any position of an empty ring, although the consumer
    /// may have consumed up to a quarter of the ring without publishing this.
    public int largestRecord() {
        return capacity / 4;
    }

    /// Reserves the next `recordBytes` bytes, a multiple of a line. Returns the offset in the memory, or -1 if
    /// no space is free. A reservation must be published before the next reservation.
    public long reserve(int recordBytes) {
        int position = (int) produced & (capacity - 1);
        int toEnd = capacity - position;
        int needed = needed(recordBytes, toEnd);
        if (produced + needed - consumed > capacity) {
            consumed = memory.getLongAcquire(base + CONSUMED);
            if (produced + needed - consumed > capacity) return -1;
        }
        if (recordBytes > toEnd) {
            publish(base + DATA + position, toEnd, RecordDescriptor.PAD, 0, 0);
            position = 0;
        }
        // A record of more than one line overwrites the second line, even if the record is never published, so
        // the second line no longer counts as cleared.
        if (recordBytes > RecordDescriptor.LINE) cleared = Math.min(cleared, produced + RecordDescriptor.LINE);
        return base + DATA + position;
    }

    /// Writes a complete one-line message, like [#reserve] followed by [#publish]. Returns false unless cleared
    /// space is available according to the last known position of the consumer.
    public boolean writeLine(
            long context, int tag, int source, int typeCode, MemorySegment from, long fromAt, long bytes) {
        long next = produced + RecordDescriptor.LINE;
        if (next + 2 * RecordDescriptor.LINE - consumed > capacity || cleared <= next) return false;
        long at = base + DATA + ((int) produced & capacity - 1);
        memory.put(from, fromAt, at + RecordDescriptor.PAYLOAD, bytes); // first: fails if the memory was closed
        writeHead(at, context, source, tag, bytes);
        produced = next;
        memory.setLongRelease(at, RecordDescriptor.word(RecordDescriptor.LINE, RecordDescriptor.EAGER, typeCode, 0));
        clearLine();
        return true;
    }

    /// Writes the header of a message's record, except for the first word, which [#publish] writes.
    public void writeHead(long at, long context, int source, int tag, long bytes) {
        memory.setLongs(at + RecordDescriptor.CONTEXT, context, RecordDescriptor.envelope(source, tag), bytes);
    }

    /// Returns the space that a record needs, including the line after the record, where the next record
    /// begins.
    private static int needed(int recordBytes, int toEnd) {
        return (recordBytes <= toEnd ? recordBytes : toEnd + recordBytes) + RecordDescriptor.LINE;
    }

    /// Makes the record at `at` visible to the consumer. Then clears one more line in advance, so that a
    /// following record of one line can be published without clearing a line first.
    public void publish(long at, int recordBytes, int kind, int typeCode, int flags) {
        produced += recordBytes;
        if (cleared <= produced) {
            cleared = produced;
            clearLine();
        }
        memory.setLongRelease(at, RecordDescriptor.word(recordBytes, kind, typeCode, flags));
        if (cleared == produced + RecordDescriptor.LINE && cleared + RecordDescriptor.LINE - consumed <= capacity)
            clearLine();
    }

    private void clearLine() {
        memory.setLong(base + DATA + ((int) cleared & (capacity - 1)), 0);
        cleared += RecordDescriptor.LINE;
    }

    /// Returns whether space is free for a record of this size.
    public boolean hasRoom(int recordBytes) {
        consumed = memory.getLongAcquire(base + CONSUMED);
        int toEnd = capacity - ((int) produced & (capacity - 1));
        return produced + needed(recordBytes, toEnd) - consumed <= capacity;
    }

    /// Returns the number of bytes of matched complete messages. The value may be slightly too low.
    public long received() {
        return memory.getLongAcquire(base + RECEIVED);
    }

    /// Returns whether the consumer has published that it consumed all records.
    public boolean isDrained() {
        return memory.getLongAcquire(base + CONSUMED) == produced;
    }

    /// Returns the data area of the ring.
    public Extents.Extent data() {
        return new Extents.Extent(base + DATA, capacity);
    }

    /// Passes to `reader` the records that the consumer did not consume. Called after the consumer has
    /// published the position and stopped.
    public void unread(Reader reader) {
        for (long from = memory.getLongAcquire(base + CONSUMED); from < produced; ) {
            long word = word(from);
            reader.read(base + DATA + ((int) from & (capacity - 1)), word);
            from += RecordDescriptor.bytes(word);
        }
    }

    private long word(long at) {
        return memory.getLongAcquire(base + DATA + ((int) at & (capacity - 1)));
    }

    /// Publishes the last answers of a leaving rank, which are stored at `at`.
    public void publishLastAnswers(long at) {
        memory.setLongRelease(base + LAST_ANSWERS, at);
    }

    /// Requests a wake-up when space is free. The caller must execute a full fence and check once more before
    /// it sleeps.
    public void announceWait() {
        memory.setIntRelease(base + WAITS, 1);
    }
}
