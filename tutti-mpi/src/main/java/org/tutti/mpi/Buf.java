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
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective.Blocks;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.Placed;

/// A description of data: where it lies, how many elements of which type. It copies nothing; make it once
/// and use it often.
///
///     buf(array)   buf(array, offset, count)   buf(matrix)   buf(intBuffer)   buf(segment, Datatype.DOUBLE)
///     complex(array)   buf(values, places)
///     buf(array, offset, count, type)   buf(segment, offsetBytes, count, type)   with a derived type
///
/// A matrix (`double[][]`) is sent as its rows one after the other. `boolean[]`, matrices and pairs are
/// copied once on the way, everything else is used where it lies; of a derived type, the elements that
/// belong to it, wherever they lie, and no byte between them is touched. A NIO buffer counts from its
/// position to its limit, at the time of the call to `buf`, and its position is never moved.
public final class Buf {
    /// No data: what a rank passes where only another rank's buffer matters.
    public static final Buf NONE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null, null);

    /// In the place of the send buffer: this rank's data already lies in the receive buffer (MPI 4.1, section
    /// 6.2.1).
    public static final Buf IN_PLACE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null, null);

    /// All of it, where the data is an array and nothing else; what views it as memory is made when it is
    /// needed, which in a loop of like calls is never.
    private final @Nullable Object array;

    private @Nullable Memory memory;
    private final long count;
    private final Datatype type;
    private final @Nullable Pieces pieces;
    private final @Nullable Blocks blocks;

    /// Where the data lies in `memory`, if it is not all of it.
    private final @Nullable Layout layout;

    private Buf(
            Memory memory,
            long count,
            Datatype type,
            @Nullable Pieces pieces,
            @Nullable Layout layout,
            @Nullable Blocks blocks) {
        this(null, memory, count, type, pieces, layout, blocks);
    }

    private Buf(
            @Nullable Object array,
            @Nullable Memory memory,
            long count,
            Datatype type,
            @Nullable Pieces pieces,
            @Nullable Layout layout,
            @Nullable Blocks blocks) {
        this.array = array;
        this.memory = memory;
        this.count = count;
        this.type = type;
        this.pieces = pieces;
        this.layout = layout;
        this.blocks = blocks;
    }

    private static Buf array(Object array, int length, Datatype type) {
        return new Buf(array, null, length, type, null, null, null);
    }

    public static Buf buf(byte[] a) {
        return array(given(a), a.length, Datatype.BYTE);
    }

    public static Buf buf(byte[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.BYTE, offset, count);
    }

    public static Buf buf(char[] a) {
        return array(given(a), a.length, Datatype.CHAR);
    }

    public static Buf buf(char[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.CHAR, offset, count);
    }

    public static Buf buf(short[] a) {
        return array(given(a), a.length, Datatype.SHORT);
    }

    public static Buf buf(short[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.SHORT, offset, count);
    }

    public static Buf buf(int[] a) {
        return array(given(a), a.length, Datatype.INT);
    }

    public static Buf buf(int[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.INT, offset, count);
    }

    public static Buf buf(long[] a) {
        return array(given(a), a.length, Datatype.LONG);
    }

    public static Buf buf(long[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.LONG, offset, count);
    }

    public static Buf buf(float[] a) {
        return array(given(a), a.length, Datatype.FLOAT);
    }

    public static Buf buf(float[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.FLOAT, offset, count);
    }

    public static Buf buf(double[] a) {
        return array(given(a), a.length, Datatype.DOUBLE);
    }

    public static Buf buf(double[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, offset, count);
    }

    public static Buf buf(boolean[] a) {
        return buf(a, 0, given(a).length);
    }

    public static Buf buf(boolean[] a, int offset, int count) {
        checkRange(a.length, offset, count);
        return new Buf(Memory.NONE, count, Datatype.BOOLEAN, new Pieces.Booleans(a, offset, count), null, null);
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

    /// An array of records of one class, each sent as the struct of [Datatype#ofRecord]. Where they are
    /// received, new records take the places of the old ones, as far as the message goes.
    ///
    /// @throws MpiException `ERR_TYPE` when a component is neither a primitive nor a record of them
    public static <R extends Record> Buf buf(@Nullable R[] records) {
        return buf(records, 0, given(records).length);
    }

    /// As [#buf(Record\[\])], of `count` records from `offset` on.
    public static <R extends Record> Buf buf(@Nullable R[] records, int offset, int count) {
        checkRange(given(records).length, offset, count);
        RecordShape shape = RecordShape.of(records.getClass().componentType());
        Pieces pieces = new Pieces.Records(records, offset, count, shape);
        return new Buf(Memory.NONE, count, shape.type(), pieces, null, null);
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

    /// A segment as elements of `type`, in the machine's byte order: as many as are one after the other
    /// in it, each as long as the type's extent.
    public static Buf buf(MemorySegment s, Datatype type) {
        if (!type.isPredefined()) return DerivedBuf.whole(given(s), type);
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

    /// `count` elements of a derived type, each `type.extent()` bytes behind the one before, the first at
    /// element `offset` of the array: `buf(matrix, column, 1, DOUBLE.vector(rows, 1, columns))`. All of
    /// them must lie in the array; those of one predefined type alone must have the array's.
    ///
    /// @throws MpiException `ERR_BUFFER` when something lies outside of the array, `ERR_TYPE` when its
    ///     elements are of another type, `ERR_COUNT` when `count` is negative
    public static Buf buf(double[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(float[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.FLOAT, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(long[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.LONG, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(int[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.INT, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(short[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.SHORT, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(char[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.CHAR, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)].
    public static Buf buf(byte[] a, int offset, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofArray(given(a)), Datatype.BYTE, offset, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)] from the buffer's position on, within its limit.
    public static Buf buf(Buffer b, int count, Datatype type) {
        return DerivedBuf.of(MemorySegment.ofBuffer(given(b)), buf(b).type(), 0, count, type);
    }

    /// As [#buf(double\[\], int, int, Datatype)], of anything in memory; the first element at byte
    /// `offsetBytes`.
    public static Buf buf(MemorySegment s, long offsetBytes, long count, Datatype type) {
        return DerivedBuf.of(given(s), Datatype.BYTE, offsetBytes, count, type);
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
        return new Buf(array, memory, count, type, pieces, layout, new Blocks(counts.clone(), displacements.clone()));
    }

    /// In elements.
    public long count() {
        return count;
    }

    public Datatype type() {
        return type;
    }

    long lengthBytes() {
        return count * type.size();
    }

    /// Elements of the predefined type that the elements consist of, see [Datatype#wire]: in all, and in
    /// each.
    long wireCount() {
        return count * units();
    }

    long units() {
        return type.size() / type.elements().basic().bytes();
    }

    /// The blocks in elements of the predefined type, as they lie when everything is packed.
    @Nullable
    Blocks wireBlocks() {
        Blocks b = blocks;
        long units = units();
        if (b == null || units == 1) return b;
        return new Blocks(times(b.counts(), units), times(b.displacements(), units));
    }

    private static long[] times(long[] numbers, long factor) {
        return Arrays.stream(numbers).map(n -> n * factor).toArray();
    }

    /// Of elements of several types, the hash of them all; else 0.
    int signature() {
        return type.elements().isMixed() ? type.elements().signatureHash(lengthBytes()) : 0;
    }

    /// Whether `bytes` of this and of `other` consist of the same predefined types.
    boolean matches(Buf other, long bytes) {
        if (type.elements().basic() != other.type.elements().basic()) return bytes == 0 && other.lengthBytes() == 0;
        return !type.elements().isMixed()
                || type == other.type
                || type.elements().signatureHash(bytes) == other.type.elements().signatureHash(bytes);
    }

    @Nullable
    Blocks blocks() {
        return blocks;
    }

    boolean isPlace() {
        return this != NONE && this != IN_PLACE;
    }

    private Memory memory() {
        Memory m = memory;
        if (m != null) return m;
        m = Memory.ofArray(Objects.requireNonNull(array));
        memory = m;
        return m;
    }

    /// As [#toMemory()]; `last`, which an engine has used before, if that is this very array.
    Memory toMemory(Memory last) {
        boolean same = memory == null && last instanceof Memory.Heap heap && heap.array() == array;
        return same ? last : toMemory();
    }

    /// The memory an engine is to use that knows no layouts: the data itself, or a packed copy.
    Memory toMemory() {
        if (pieces == null && layout == null) return memory();
        MemorySegment copy = Arena.ofAuto().allocate(lengthBytes(), 8);
        packInto(copy);
        return new Memory.Native(copy);
    }

    /// Describes to a message where its data lies or goes: in place, or for data in pieces in a copy.
    Transfer place(Transfer t) {
        return layout == null ? t.at(toMemory(t.memory), 0, lengthBytes()) : t.at(memory(), layout);
    }

    /// After an engine has written into `used`, which came from [#toMemory] or [#place]: brings `bytes`
    /// of the copy home, from its byte `from` on. What else is in the copy may be older than what is
    /// here.
    void fromMemory(Memory used, long from, long bytes) {
        if (pieces != null) pieces.scatterFrom(used.segment(), from, bytes);
        else if (layout != null && used != memory)
            layout.unpack(memory().segment(), 0, from, used.segment(), from, bytes);
    }

    /// Fills all of it from packed bytes.
    void unpackFrom(MemorySegment packed) {
        if (pieces != null) pieces.scatterFrom(packed, 0, lengthBytes());
        else if (layout != null) layout.unpack(memory().segment(), 0, 0, packed, 0, lengthBytes());
        else MemorySegment.copy(packed, 0, memory().segment(), 0, lengthBytes());
    }

    /// Why `elements` from `from` on cannot be sent: something in them is null. Null when they can.
    @Nullable
    String missing(long from, long elements) {
        return pieces instanceof Pieces.Records r ? r.missing(from, elements) : null;
    }

    /// Before an engine uses `used`, which came from [#toMemory], once more: brings what has changed there.
    void refresh(Memory used) {
        if (pieces instanceof Pieces.Several s) s.gatherInto(used.segment());
        else if (used != Memory.NONE && (pieces != null || layout != null && used != memory)) packInto(used.segment());
    }

    /// Copies the data, packed, to the beginning of `to`.
    void packInto(MemorySegment to) {
        if (pieces != null) pieces.gatherInto(to.asSlice(0, lengthBytes()));
        else if (layout != null) layout.pack(memory().segment(), 0, 0, to, 0, lengthBytes());
        else MemorySegment.copy(memory().segment(), 0, to, 0, lengthBytes());
    }

    /// Buffers with the memories that an engine uses for them, as one: for calls that have a buffer for
    /// each rank.
    static Buf several(Buf[] bufs, Memory[] used) {
        return new Buf(Memory.NONE, 0, Datatype.BYTE, new Pieces.Several(bufs, used), null, null);
    }

    /// Whether its elements do not lie one after the other.
    boolean hasGaps() {
        return layout != null;
    }

    boolean inPieces() {
        return pieces != null;
    }

    /// Whether some byte is there twice, so that nothing may be received into it.
    boolean overlaps() {
        return layout != null && layout.overlaps();
    }

    /// `count` elements of a derived type, the first at byte `base`; they lie in `s`.
    static Buf derived(MemorySegment s, long base, long count, Datatype type) {
        Placed map = type.map().loop(count, type.extent()).moved(base);
        if (!map.isDense()) {
            return new Buf(Memory.of(s), count, type, null, new Layout(map), null);
        }
        long length = map.piece().bytes();
        MemorySegment part = length == 0 ? s.asSlice(0, 0) : s.asSlice(map.offset(), length);
        return new Buf(Memory.of(part), count, type, null, null, null);
    }

    boolean isReadOnly() {
        return pieces == null && array == null && memory().segment().isReadOnly();
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
        return new Buf(Memory.of(s), s.byteSize() / type.bytes(), type, null, null, null);
    }

    private static Buf part(MemorySegment s, Datatype type, int offset, int count) {
        checkRange(s.byteSize() / type.bytes(), offset, count);
        return whole(s.asSlice((long) offset * type.bytes(), (long) count * type.bytes()), type);
    }

    static Buf rows(MemorySegment[] rows, Datatype type) {
        long bytes = 0;
        for (MemorySegment row : rows) bytes += row.byteSize();
        return new Buf(Memory.NONE, bytes / type.bytes(), type, new Pieces.Rows(rows), null, null);
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
        return new Buf(Memory.NONE, places.length, type, pieces, null, null);
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
