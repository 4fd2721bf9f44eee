package org.tutti.shm.channel;

import java.lang.foreign.MemorySegment;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Shared;

/// The sending side of a ring.
///
///     0           8           64                72              80        84          88        128
///     | consumed  | received  | producer waits  | last answers  | sender  | capacity  | before  |  data …
///
///     consumed, received, last answers, before: int64; producer waits, sender, capacity: int32
///     data        `capacity` bytes, a power of two
///
/// A record's first word is stored last, and 0 where the next one will begin is stored before it: so the
/// consumer sees a whole record or none, and never writes here. `consumed` counts bytes since the ring
/// began and is the consumer's, told now and then; so a producer that sees no room may still find some a
/// little later. A producer that is to sleep for room says so in `producer waits` first. `received` counts
/// the bytes of the whole messages among them that have found their receives, and is told as rarely. `last
/// answers` is where the answers to offers lie that found no room in the ring before its producer left: how
/// many, then the ids of the sends, int64 each; 0 while there are none. `sender` and `capacity` say to the consumer
/// what it has found; `before` is the segment's, which has a list of a rank's rings.
public final class RingProducer {
    public static final int DATA = 128;
    static final int CONSUMED = 0, RECEIVED = 8, WAITS = 64, LAST_ANSWERS = 72, SENDER = 80, CAPACITY = 84;

    /// What is told of records by [#unread].
    public interface Reader {
        void read(long at, long word);
    }

    private final Shared memory;
    private final long base;
    private final int capacity;
    private long produced;
    private long consumed;

    /// The lines from `produced` to here hold a 0 where a record would begin.
    private long cleared;

    /// The ring at `base`, whose data area of `capacity` bytes is all zero.
    public RingProducer(Shared memory, long base, int capacity) {
        this.memory = memory;
        this.base = base;
        this.capacity = capacity;
    }

    /// Says whose ring it is, to its consumer, before that one is told of it.
    public void describe(int sender) {
        memory.setInt(base + SENDER, sender);
        memory.setInt(base + CAPACITY, capacity);
    }

    /// The largest record: so that one always fits once the ring is empty, wherever it begins, although the
    /// consumer may owe it the news of a quarter of the ring.
    public int largestRecord() {
        return capacity / 4;
    }

    /// Reserves the next `recordBytes` bytes, a multiple of a line. Returns where they begin in the
    /// memory, or -1 when there is no room now. What was reserved must be published before the next is.
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
        // what is written may reach beyond the next line, and never be published: that line is cleared again then
        if (recordBytes > RecordDescriptor.LINE) cleared = Math.min(cleared, produced + RecordDescriptor.LINE);
        return base + DATA + position;
    }

    /// Writes a whole message of one line, as [#reserve] and [#publish] do. Returns false when this side knows of no
    /// room.
    public boolean writeLine(
            long context, int tag, int source, int typeCode, MemorySegment from, long fromAt, long bytes) {
        long next = produced + RecordDescriptor.LINE;
        if (next + 2 * RecordDescriptor.LINE - consumed > capacity || cleared <= next) return false;
        long at = base + DATA + ((int) produced & capacity - 1);
        memory.put(from, fromAt, at + RecordDescriptor.PAYLOAD, bytes); // first: it fails if the memory is gone
        writeHead(at, context, source, tag, bytes);
        produced = next;
        memory.setLongRelease(at, RecordDescriptor.word(RecordDescriptor.LINE, RecordDescriptor.EAGER, typeCode, 0));
        clearLine();
        return true;
    }

    /// Writes the header of a message's record except for its word.
    public void writeHead(long at, long context, int source, int tag, long bytes) {
        memory.setLongs(at + RecordDescriptor.CONTEXT, context, RecordDescriptor.envelope(source, tag), bytes);
    }

    /// With the line behind the record, in which the next one will begin.
    private static int needed(int recordBytes, int toEnd) {
        return (recordBytes <= toEnd ? recordBytes : toEnd + recordBytes) + RecordDescriptor.LINE;
    }

    /// Makes the record at `at` visible. Then it clears one line more than it must: the next record, if it is
    /// one line, need not wait until this rank owns two.
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

    /// Whether a record of this size would find room.
    public boolean hasRoom(int recordBytes) {
        consumed = memory.getLongAcquire(base + CONSUMED);
        int toEnd = capacity - ((int) produced & (capacity - 1));
        return produced + needed(recordBytes, toEnd) - consumed <= capacity;
    }

    /// How many bytes of whole messages have found their receives, or a little less.
    public long received() {
        return memory.getLongAcquire(base + RECEIVED);
    }

    /// Whether the consumer has taken all, and told so.
    public boolean isDrained() {
        return memory.getLongAcquire(base + CONSUMED) == produced;
    }

    /// What lies behind the head.
    public Extents.Extent data() {
        return new Extents.Extent(base + DATA, capacity);
    }

    /// Shows the records that the consumer, which has told where it is and will take no more, left in the
    /// ring.
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

    /// This rank leaves; its last answers lie at `at`.
    public void publishLastAnswers(long at) {
        memory.setLongRelease(base + LAST_ANSWERS, at);
    }

    /// Asks to be woken when there is room. A full fence and another look must follow before any sleep.
    public void announceWait() {
        memory.setIntRelease(base + WAITS, 1);
    }
}
