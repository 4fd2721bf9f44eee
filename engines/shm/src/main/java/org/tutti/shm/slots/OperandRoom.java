package org.tutti.shm.slots;

import java.util.Arrays;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;

/// Where one rank keeps the long operands of the calls that it has posted on a communicator: one behind the other,
/// round and round, none across the end. Taken from the segment when the first one comes, and again, larger, when
/// the first one comes that is longer than [CollectiveSlots#LONGEST]; what lies in the smaller one stays there.
final class OperandRoom {
    /// Two int64 in the rank's area: where its room begins, 0 for nowhere yet, and how long it is, a power of two.
    static final int AT = 0, BYTES = 8;

    private static final int LINE = 64;

    /// For each post: of the smaller one, of a piece, and of the larger one.
    private static final int SMALL = 2 << 10, PIECE = 4 << 10, LARGE = 8 << 10;

    private final Segment segment;
    private final Shared memory;
    private final long word;
    private final int posts;
    private long at;
    private long bytes;

    /// How far it was filled, counted on and on, when a call had been posted, by the call's place; and is now.
    private final long[] filledAt;

    private long filled;

    /// @param word where [#AT] and [#BYTES] lie
    OperandRoom(Segment segment, long word) {
        this.segment = segment;
        this.word = word;
        memory = segment.memory();
        posts = segment.posts();
        filledAt = new long[posts];
        at = memory.getLong(word + AT);
        bytes = memory.getLong(word + BYTES);
    }

    /// The longest operand.
    static int pieceBytes(Segment segment) {
        return PIECE * segment.posts();
    }

    /// The last call up to `last` whose operand is written over by one of `length` bytes; `from` where none after
    /// `from` is.
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

    /// Takes `length` bytes; returns where they begin in the segment.
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

    /// Call `number` is posted, with what was taken for it.
    void posted(long number) {
        filledAt[place(number)] = filled;
    }

    private int place(long number) {
        return (int) number & posts - 1;
    }
}
