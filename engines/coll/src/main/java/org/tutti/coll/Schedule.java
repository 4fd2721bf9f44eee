package org.tutti.coll;

import java.util.Arrays;
import org.tutti.spi.Collective;

/// One rank's part of a collective call, or of a slice of it: a straight-line program with five kinds of
/// instructions.
///
/// | instruction | meaning |
/// |---|---|
/// | `send`, `receive` | start a message |
/// | `await` | complete all started messages before the next instruction |
/// | `copy` | move bytes between this rank's buffers, now |
/// | `reduce` | combine elements of this rank's buffers, now |
///
/// A round of an algorithm is a few messages and an `await`. A program ends with an implicit `await`.
///
/// A place is one `long`: the buffer in the two highest bits, the offset in bytes below. `place + bytes` is
/// therefore a place in the same buffer, and algorithms can swap places instead of copying data. The three
/// buffers are the user's send and receive buffers, and this rank's scratch memory, which [#scratch] allocates
/// in parts.
///
/// A schedule is reusable: once the arrays are large enough, clearing and refilling them does not allocate.
final class Schedule {
    static final int SEND = 0;
    static final int RECEIVE = 1;
    static final int AWAIT = 2;
    static final int COPY = 3;
    static final int REDUCE = 4;

    private static final int BUFFER_SHIFT = 62;
    private static final long OFFSET_MASK = (1L << BUFFER_SHIFT) - 1;

    /// The starts of the three buffers, as places.
    static final long SEND_BUFFER = 0;

    static final long RECV_BUFFER = 1L << BUFFER_SHIFT;
    static final long SCRATCH_BUFFER = 2L << BUFFER_SHIFT;

    /// Parts of the scratch memory begin on cache lines.
    private static final long ALIGNMENT = 64;

    private int size;
    private long scratchBytes;
    private int[] opcode = new int[16];
    private int[] peer = new int[16];
    private long[] from = new long[16];
    private long[] to = new long[16];
    private long[] length = new long[16];

    /// Returns the buffer of a place: 0 send, 1 recv, 2 scratch.
    static int buffer(long place) {
        return (int) (place >>> BUFFER_SHIFT);
    }

    /// Returns the offset of a place in the buffer, in bytes.
    static long offset(long place) {
        return place & OFFSET_MASK;
    }

    /// Returns the start of a reduction's operand.
    static long operand(Collective call) {
        return call.inPlace ? RECV_BUFFER : SEND_BUFFER;
    }

    void clear() {
        size = 0;
        scratchBytes = 0;
    }

    /// Allocates a part of the scratch memory that overlaps no other part.
    long scratch(long bytes) {
        long place = SCRATCH_BUFFER + scratchBytes;
        scratchBytes += (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        return place;
    }

    /// Appends a send. An empty message is sent as well, because it synchronizes the two ranks.
    void send(int destination, long place, long bytes) {
        append(SEND, destination, place, place, bytes);
    }

    void receive(int source, long place, long bytes) {
        append(RECEIVE, source, place, place, bytes);
    }

    void await() {
        append(AWAIT, 0, 0, 0, 0);
    }

    /// Appends a copy unless it has no effect.
    void copy(long source, long destination, long bytes) {
        if (bytes != 0 && source != destination) append(COPY, 0, source, destination, bytes);
    }

    /// Appends `inout[i] = in[i] op inout[i]`; unless the operation is commutative, the operands in `in` are
    /// from lower ranks than the operands in `inout`.
    void reduce(long in, long inout, long count) {
        if (count != 0) append(REDUCE, 0, in, inout, count);
    }

    int size() {
        return size;
    }

    long scratchBytes() {
        return scratchBytes;
    }

    int opcode(int i) {
        return opcode[i];
    }

    int peer(int i) {
        return peer[i];
    }

    /// Returns the source of a copy or reduction, or the only place of a message.
    long from(int i) {
        return from[i];
    }

    /// Returns the destination of a copy or reduction.
    long to(int i) {
        return to[i];
    }

    /// Returns the length of an instruction's data in bytes; for a reduction, the number of elements.
    long length(int i) {
        return length[i];
    }

    private void append(int instruction, int rank, long source, long destination, long amount) {
        int i = size;
        if (i == opcode.length) grow(2 * i);
        opcode[i] = instruction;
        peer[i] = rank;
        from[i] = source;
        to[i] = destination;
        length[i] = amount;
        size = i + 1;
    }

    private void grow(int capacity) {
        opcode = Arrays.copyOf(opcode, capacity);
        peer = Arrays.copyOf(peer, capacity);
        from = Arrays.copyOf(from, capacity);
        to = Arrays.copyOf(to, capacity);
        length = Arrays.copyOf(length, capacity);
    }

    /// Returns the program as text, one instruction a line: `receive 2 scratch+0 64`.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size; i++) {
            switch (opcode[i]) {
                case SEND -> text.append("send ").append(peer[i]).append(place(from[i]));
                case RECEIVE -> text.append("receive ").append(peer[i]).append(place(to[i]));
                case COPY -> text.append("copy").append(place(from[i])).append(place(to[i]));
                case REDUCE -> text.append("reduce").append(place(from[i])).append(place(to[i]));
                default -> text.append("await");
            }
            if (opcode[i] != AWAIT) text.append(' ').append(length[i]);
            text.append('\n');
        }
        return text.toString();
    }

    private static String place(long place) {
        String name = switch (buffer(place)) {
            case 0 -> " send+";
            case 1 -> " recv+";
            default -> " scratch+";
        };
        return name + offset(place);
    }
}
