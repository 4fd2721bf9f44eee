package org.tutti.shm.slots;

import java.util.Arrays;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;

/// Memory for the long operands of calls that a rank has posted on a communicator: a circular buffer, in which
/// no operand wraps around. The buffer is allocated for the first long operand, and a larger one is allocated
/// for the first operand longer than [CollectiveSlots#LONGEST]. Operands in the smaller buffer stay valid.
final class OperandRoom {
    /// The positions of two int64 values in the rank's area: the offset of the buffer, which is 0 while no
    /// buffer is allocated, and the size of the buffer, a power of two.
    static final int AT = 0, BYTES = 8;

    private static final int LINE = 64;

    /// Sizes in bytes, to be multiplied by the number of slots: of the smaller buffer, of a piece of an
    /// operand, and of the larger buffer.
    private static final int SMALL = 2 << 10, PIECE = 4 << 10, LARGE = 8 << 10;

    private final Segment segment;
    private final Shared memory;
    private final long word;
    private final int posts;
    private long at;
    private long bytes;

    /// The fill position after each posted call; the index is the slot. The next field is the current fill
    /// position. Positions are counted without wrapping.
    private final long[] filledAt;

    private long filled;

    /// @param word the offset of the values [#AT] and [#BYTES]
    OperandRoom(Segment segment, long word) {
        this.segment = segment;
        this.word = word;
        memory = segment.memory();
        posts = segment.posts();
        filledAt = new long[posts];
        at = memory.getLong(word + AT);
        bytes = memory.getLong(word + BYTES);
    }

    /// Returns the maximum size of an operand in bytes.
    static int pieceBytes(Segment segment) {
        return PIECE * segment.posts();
    }

    /// Returns the last call, up to `last`, whose operand would be overwritten by a new operand of `length`
    /// bytes; returns `from` if all such calls are earlier than `from`.
    long overwritten(long from, long last, long length) {
        if (bytes < neededFor(length)) return from;
        long kept = begin(length) + length - bytes;
        long call = from;
        while (call < last && filledAt[place(call)] < kept) call++;
        return call;
    }

    private long begin(long length) {
        long left = bytes - (filled & bytes - 1);
        return length <= left ? filled : filled + left;
    }

    /// Allocates `length` bytes. Returns the offset in the segment.
    long take(long length) {
        long needed = neededFor(length);
        if (bytes < needed) grow(needed);
        long begin = begin(length);
        filled = begin + (length + LINE - 1 & -LINE);
        return at + (begin & bytes - 1);
    }

    private long neededFor(long length) {
        return (long) (length <= CollectiveSlots.LONGEST ? SMALL : LARGE) * posts;
    }

    private void grow(long needed) {
        at = segment.extent(needed, "collective call");
        bytes = needed;
        filled = 0;
        Arrays.fill(filledAt, 0);
        memory.setLong(word + AT, at);
        memory.setLong(word + BYTES, bytes);
    }

    /// Records that call `number` is posted with the operand that was allocated last.
    void posted(long number) {
        filledAt[place(number)] = filled;
    }

    private int place(long number) {
        return (int) number & posts - 1;
    }
}
