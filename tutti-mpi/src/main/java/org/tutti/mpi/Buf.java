package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Collective.Blocks;
import org.tutti.mpi.spi.Memory;

/// A description of data: where it lies, how many elements of which type. It copies nothing; make it once
/// and use it often.
///
///     buf(array)   buf(array, offset, count)   buf(matrix)   buf(intBuffer)   buf(segment, Datatype.DOUBLE)
///     complex(array)   buf(values, places)
///
/// A matrix (`double[][]`) is sent as its rows one after the other. `boolean[]`, matrices and pairs are
/// copied once on the way, everything else is used where it lies. A NIO buffer counts from its position
/// to its limit, at the time of the call to `buf`, and its position is never moved.
public final class Buf {
    /// No data: what a rank passes where only another rank's buffer matters.
    public static final Buf NONE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null);

    /// In the place of the send buffer: this rank's data already lies in the receive buffer (MPI 4.1, section
    /// 6.2.2).
    public static final Buf IN_PLACE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null);

    private final Memory memory;
    private final long count;
    private final Datatype type;
    private final @Nullable Pieces pieces;
    private final @Nullable Blocks blocks;

    private Buf(Memory memory, long count, Datatype type, @Nullable Pieces pieces, @Nullable Blocks blocks) {
        this.memory = memory;
        this.count = count;
        this.type = type;
        this.pieces = pieces;
        this.blocks = blocks;
    }

    public static Buf buf(byte[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.BYTE);
    }

    public static Buf buf(byte[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.BYTE, offset, count);
    }

    public static Buf buf(char[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.CHAR);
    }

    public static Buf buf(char[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.CHAR, offset, count);
    }

    public static Buf buf(short[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.SHORT);
    }

    public static Buf buf(short[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.SHORT, offset, count);
    }

    public static Buf buf(int[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.INT);
    }

    public static Buf buf(int[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.INT, offset, count);
    }

    public static Buf buf(long[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.LONG);
    }

    public static Buf buf(long[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.LONG, offset, count);
    }

    public static Buf buf(float[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.FLOAT);
    }

    public static Buf buf(float[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.FLOAT, offset, count);
    }

    public static Buf buf(double[] a) {
        return whole(MemorySegment.ofArray(given(a)), Datatype.DOUBLE);
    }

    public static Buf buf(double[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, offset, count);
    }

    public static Buf buf(boolean[] a) {
        return buf(a, 0, given(a).length);
    }

    public static Buf buf(boolean[] a, int offset, int count) {
        checkRange(a.length, offset, count);
        return new Buf(Memory.NONE, count, Datatype.BOOLEAN, new Pieces.Booleans(a, offset, count), null);
    }

    /// The rows of a matrix, one after the other; they may differ in length.
    public static Buf buf(double[][] rows) {
        return rows(
                Arrays.stream(given(rows)).map(MemorySegment::ofArray).toArray(MemorySegment[]::new), Datatype.DOUBLE);
    }

    /// As [#buf(double\[\]\[\])].
    public static Buf buf(float[][] rows) {
        return rows(
                Arrays.stream(given(rows)).map(MemorySegment::ofArray).toArray(MemorySegment[]::new), Datatype.FLOAT);
    }

    /// As [#buf(double\[\]\[\])].
    public static Buf buf(long[][] rows) {
        return rows(
                Arrays.stream(given(rows)).map(MemorySegment::ofArray).toArray(MemorySegment[]::new), Datatype.LONG);
    }

    /// As [#buf(double\[\]\[\])].
    public static Buf buf(int[][] rows) {
        return rows(Arrays.stream(given(rows)).map(MemorySegment::ofArray).toArray(MemorySegment[]::new), Datatype.INT);
    }

    /// As [#buf(double\[\]\[\])].
    public static Buf buf(byte[][] rows) {
        return rows(
                Arrays.stream(given(rows)).map(MemorySegment::ofArray).toArray(MemorySegment[]::new), Datatype.BYTE);
    }

    /// Complex numbers: real and imaginary part of the first, of the second, and so on.
    public static Buf complex(double[] parts) {
        checkParts(parts.length);
        return whole(MemorySegment.ofArray(parts), Datatype.DOUBLE_COMPLEX);
    }

    /// As [#complex(double\[\])].
    public static Buf complex(float[] parts) {
        checkParts(parts.length);
        return whole(MemorySegment.ofArray(parts), Datatype.FLOAT_COMPLEX);
    }

    /// Values with their places, for [Op#MINLOC] and [Op#MAXLOC]: element i is `values[i]` at `places[i]`.
    public static Buf buf(double[] values, int[] places) {
        return pairs(MemorySegment.ofArray(values), places, Datatype.DOUBLE_INT, Double.BYTES);
    }

    /// As [#buf(double\[\], int\[\])].
    public static Buf buf(float[] values, int[] places) {
        return pairs(MemorySegment.ofArray(values), places, Datatype.FLOAT_INT, Float.BYTES);
    }

    /// As [#buf(double\[\], int\[\])].
    public static Buf buf(long[] values, int[] places) {
        return pairs(MemorySegment.ofArray(values), places, Datatype.LONG_INT, Long.BYTES);
    }

    /// As [#buf(double\[\], int\[\])].
    public static Buf buf(int[] values, int[] places) {
        return pairs(MemorySegment.ofArray(values), places, Datatype.INT_INT, Integer.BYTES);
    }

    /// The elements between position and limit. The buffer must have the machine's byte order.
    public static Buf buf(Buffer b) {
        Datatype type = switch (given(b)) {
            case ByteBuffer x -> Datatype.BYTE;
            case CharBuffer x -> ordered(x.order(), Datatype.CHAR);
            case ShortBuffer x -> ordered(x.order(), Datatype.SHORT);
            case IntBuffer x -> ordered(x.order(), Datatype.INT);
            case LongBuffer x -> ordered(x.order(), Datatype.LONG);
            case FloatBuffer x -> ordered(x.order(), Datatype.FLOAT);
            case DoubleBuffer x -> ordered(x.order(), Datatype.DOUBLE);
        };
        return whole(MemorySegment.ofBuffer(b), type);
    }

    /// The bytes of a segment.
    public static Buf buf(MemorySegment s) {
        return whole(given(s), Datatype.BYTE);
    }

    /// A segment as elements of `type`, in the machine's byte order.
    public static Buf buf(MemorySegment s, Datatype type) {
        if (given(s).byteSize() % type.bytes() != 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "a segment of " + s.byteSize() + " bytes is no whole number of " + type + " elements of "
                            + type.bytes() + " bytes",
                    null);
        }
        return whole(s, type);
    }

    /// The v form of an operation: block r has `counts[r]` elements, and the blocks lie one after the
    /// other. The buffer that has a block for each rank says so: `recv` of a gather, `send` of a scatter,
    /// both of an alltoall, the operand of a reduce-scatter.
    public Buf blocks(int... counts) {
        return blocks(Arrays.stream(counts).asLongStream().toArray());
    }

    /// As [#blocks(int...)].
    public Buf blocks(long[] counts) {
        long[] displacements = new long[counts.length];
        for (int r = 1; r < counts.length; r++) displacements[r] = displacements[r - 1] + counts[r - 1];
        return blocks(counts, displacements);
    }

    /// The v form with gaps or in another order: block r begins `displacements[r]` elements into this buffer.
    public Buf blocks(long[] counts, long[] displacements) {
        if (counts.length != displacements.length) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    "blocks",
                    counts.length + " counts but " + displacements.length + " displacements",
                    null);
        }
        for (int r = 0; r < counts.length; r++) {
            if (counts[r] < 0 || displacements[r] < 0 || displacements[r] > count - counts[r]) {
                throw MpiException.argument(
                        ErrorClass.ERR_COUNT,
                        "blocks",
                        "block " + r + " with count=" + counts[r] + " at displacement=" + displacements[r]
                                + " does not lie in the buffer's " + count + " elements",
                        null);
            }
        }
        return new Buf(memory, count, type, pieces, new Blocks(counts.clone(), displacements.clone()));
    }

    /// In elements.
    public long count() {
        return count;
    }

    public Datatype type() {
        return type;
    }

    long lengthBytes() {
        return count * type.bytes();
    }

    @Nullable
    Blocks blocks() {
        return blocks;
    }

    boolean isPlace() {
        return this != NONE && this != IN_PLACE;
    }

    /// The memory an engine is to use: the data itself, or for data in pieces a copy.
    Memory toMemory() {
        if (pieces == null) return memory;
        MemorySegment copy = Arena.ofAuto().allocate(lengthBytes(), 8);
        pieces.gatherInto(copy);
        return new Memory.Native(copy);
    }

    /// After an engine has written into `used`, which came from [#toMemory]: brings the copy home.
    void fromMemory(Memory used) {
        if (pieces != null) pieces.scatterFrom(used.segment());
    }

    /// Before an engine uses `used`, which came from [#toMemory], once more: brings what has changed there.
    void refresh(Memory used) {
        if (pieces instanceof Pieces.Several || pieces != null && used != Memory.NONE)
            pieces.gatherInto(used.segment());
    }

    /// Buffers with the memories that an engine uses for them, as one: for calls that have a buffer for
    /// each rank.
    static Buf several(Buf[] bufs, Memory[] used) {
        return new Buf(Memory.NONE, 0, Datatype.BYTE, new Pieces.Several(bufs, used), null);
    }

    boolean inPieces() {
        return pieces != null;
    }

    boolean isReadOnly() {
        return pieces == null && memory.segment().isReadOnly();
    }

    private static <T> T given(T data) {
        if (data != null) return data;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, "buf", "there is null for data; a rank that has none passes Buf.NONE", null);
    }

    private static Datatype ordered(ByteOrder order, Datatype type) {
        if (order == ByteOrder.nativeOrder()) return type;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "buf",
                "a buffer of " + type + " in " + order + " order; this machine's is " + ByteOrder.nativeOrder()
                        + ": set order(ByteOrder.nativeOrder()) on the ByteBuffer before viewing it",
                null);
    }

    private static Buf whole(MemorySegment s, Datatype type) {
        return new Buf(Memory.of(s), s.byteSize() / type.bytes(), type, null, null);
    }

    private static Buf part(MemorySegment s, Datatype type, int offset, int count) {
        checkRange(s.byteSize() / type.bytes(), offset, count);
        return whole(s.asSlice((long) offset * type.bytes(), (long) count * type.bytes()), type);
    }

    private static Buf rows(MemorySegment[] rows, Datatype type) {
        long bytes = 0;
        for (MemorySegment row : rows) bytes += row.byteSize();
        return new Buf(Memory.NONE, bytes / type.bytes(), type, new Pieces.Rows(rows), null);
    }

    private static Buf pairs(MemorySegment values, int[] places, Datatype type, int valueBytes) {
        if (values.byteSize() / valueBytes != places.length) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    values.byteSize() / valueBytes + " values but " + places.length + " places",
                    null);
        }
        Pieces pieces = new Pieces.Pairs(values, MemorySegment.ofArray(places), valueBytes, type);
        return new Buf(Memory.NONE, places.length, type, pieces, null);
    }

    private static void checkParts(int parts) {
        if (parts % 2 == 0) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "complex",
                "an array of " + parts + " is no whole number of complex numbers, which have two parts each",
                null);
    }

    private static void checkRange(long length, int offset, int count) {
        if (offset < 0 || count < 0 || offset > length - count) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "offset=" + offset + ", count=" + count + " do not lie in an array of " + length,
                    null);
        }
    }

    @Override
    public String toString() {
        if (this == NONE) return "NONE";
        if (this == IN_PLACE) return "IN_PLACE";
        if (pieces instanceof Pieces.Several s) return s.bufs().length + " buffers";
        return count + " " + type + (blocks == null ? "" : " in blocks " + Arrays.toString(blocks.counts()));
    }
}
