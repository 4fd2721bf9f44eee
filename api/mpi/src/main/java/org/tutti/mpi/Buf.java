package org.tutti.mpi;

import static org.tutti.mpi.BufMaker.checkBlocks;
import static org.tutti.mpi.BufMaker.checkParts;
import static org.tutti.mpi.BufMaker.checkRange;
import static org.tutti.mpi.BufMaker.given;
import static org.tutti.mpi.BufMaker.ordered;
import static org.tutti.mpi.BufMaker.pairs;
import static org.tutti.mpi.BufMaker.part;
import static org.tutti.mpi.BufMaker.rows;
import static org.tutti.mpi.BufMaker.times;
import static org.tutti.mpi.BufMaker.whole;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.Collective.BlockLayout;
import org.tutti.spi.Collective.Operand;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.Layout;

/// A description of data: memory, number of elements and type. A `Buf` copies no data. Create an object once
/// and reuse it.
///
///     buf(array)   buf(array, offset, count)   buf(matrix)   buf(intBuffer)   buf(segment, Datatype.DOUBLE)
///     complex(array)   buf(values, places)   buf(deviceBuffer)
///     buf(array, offset, count, type)   buf(segment, offsetBytes, count, type)   with a derived type
///
/// A matrix (`double[][]`) is sent row by row. `boolean[]`, matrices, arrays of records, and pairs of values
/// and indices are copied once in a transfer. [DeviceMemory] describes how memory of a device is transferred.
/// All other contiguous data is passed to the engine without a copy. An engine over an MPI library then copies
/// data on the heap, because the garbage collector could move it. With a derived type, only the bytes of the
/// type's elements are accessed. A NIO buffer describes the elements from position to limit at the time of the
/// call to `buf`; the position is never changed.
///
/// All methods are local. A `Buf` is immutable and thread-safe. Null data causes an error of class
/// `ERR_BUFFER`; a rank without data passes [#NONE]. MPI 4.1, sections 3.2.2 and 6.2.
public final class Buf {
    /// No data, for a rank on which the buffer is not significant.
    public static final Buf NONE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null, null);

    /// Replaces the send buffer if this rank's data is already in the receive buffer; in a scatter, replaces
    /// the root's receive buffer, because the root's block stays in the send buffer (MPI 4.1, section 6.2.1).
    public static final Buf IN_PLACE = new Buf(Memory.NONE, 0, Datatype.BYTE, null, null, null);

    /// The array, if only an array of numbers or `char`s was passed to `buf`; otherwise null. The segment of
    /// the array is created only when it is needed. A call reuses the segment of the previous call if that call
    /// used the same array; see [#toMemory(Memory)].
    final @Nullable Object array;

    private @Nullable Memory memory;
    private final long count;
    final Datatype type;
    final @Nullable Pieces pieces;
    final @Nullable BlockLayout blocks;

    /// The layout of the data if the data is not contiguous in `memory`; otherwise null.
    final @Nullable Layout layout;

    Buf(
            Memory memory,
            long count,
            Datatype type,
            @Nullable Pieces pieces,
            @Nullable Layout layout,
            @Nullable BlockLayout blocks) {
        this(null, memory, count, type, pieces, layout, blocks);
    }

    private Buf(
            @Nullable Object array,
            @Nullable Memory memory,
            long count,
            Datatype type,
            @Nullable Pieces pieces,
            @Nullable Layout layout,
            @Nullable BlockLayout blocks) {
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

    /// Describes a complete array, as elements of [Datatype#BYTE].
    public static Buf buf(byte[] a) {
        return array(given(a), a.length, Datatype.BYTE);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#BYTE].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(byte[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.BYTE, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#CHAR].
    public static Buf buf(char[] a) {
        return array(given(a), a.length, Datatype.CHAR);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#CHAR].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(char[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.CHAR, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#SHORT].
    public static Buf buf(short[] a) {
        return array(given(a), a.length, Datatype.SHORT);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#SHORT].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(short[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.SHORT, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#INT].
    public static Buf buf(int[] a) {
        return array(given(a), a.length, Datatype.INT);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#INT].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(int[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.INT, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#LONG].
    public static Buf buf(long[] a) {
        return array(given(a), a.length, Datatype.LONG);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#LONG].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(long[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.LONG, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#FLOAT].
    public static Buf buf(float[] a) {
        return array(given(a), a.length, Datatype.FLOAT);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#FLOAT].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(float[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.FLOAT, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#DOUBLE].
    public static Buf buf(double[] a) {
        return array(given(a), a.length, Datatype.DOUBLE);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#DOUBLE].
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(double[] a, int offset, int count) {
        return part(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, offset, count);
    }

    /// Describes a complete array, as elements of [Datatype#BOOLEAN]. The data is copied during the transfer,
    /// with one byte per element.
    ///
    /// @throws MpiException `ERR_BUFFER` if `a` is null
    public static Buf buf(boolean[] a) {
        return buf(a, 0, given(a).length);
    }

    /// Describes `count` elements of an array, starting at `offset`, as elements of [Datatype#BOOLEAN]. The
    /// data is copied during the transfer, with one byte per element.
    ///
    /// @throws MpiException `ERR_BUFFER` if the range is not within the array, or the array is null
    public static Buf buf(boolean[] a, int offset, int count) {
        checkRange(given(a).length, offset, count);
        return new Buf(Memory.NONE, count, Datatype.BOOLEAN, new Pieces.Booleans(a, offset, count), null, null);
    }

    /// Describes the rows of a matrix, one after the other. Rows may differ in length. The data is copied
    /// during the transfer.
    ///
    /// @throws MpiException `ERR_BUFFER` if `rows` is null
    public static Buf buf(double[][] rows) {
        return rows(Arrays.stream(BufMaker.givenRows("buf", rows)).map(MemorySegment::ofArray), Datatype.DOUBLE);
    }

    /// Like [#buf(double\[\]\[\])], for rows of `float`.
    public static Buf buf(float[][] rows) {
        return rows(Arrays.stream(BufMaker.givenRows("buf", rows)).map(MemorySegment::ofArray), Datatype.FLOAT);
    }

    /// Like [#buf(double\[\]\[\])], for rows of `long`.
    public static Buf buf(long[][] rows) {
        return rows(Arrays.stream(BufMaker.givenRows("buf", rows)).map(MemorySegment::ofArray), Datatype.LONG);
    }

    /// Like [#buf(double\[\]\[\])], for rows of `int`.
    public static Buf buf(int[][] rows) {
        return rows(Arrays.stream(BufMaker.givenRows("buf", rows)).map(MemorySegment::ofArray), Datatype.INT);
    }

    /// Like [#buf(double\[\]\[\])], for rows of `byte`.
    public static Buf buf(byte[][] rows) {
        return rows(Arrays.stream(BufMaker.givenRows("buf", rows)).map(MemorySegment::ofArray), Datatype.BYTE);
    }

    /// Describes complex numbers. The array contains the real and the imaginary part of the first number, then
    /// those of the second number, and so on.
    ///
    /// @throws MpiException `ERR_BUFFER` if the length of the array is odd
    public static Buf complex(double[] parts) {
        checkParts(given(parts).length);
        return whole(MemorySegment.ofArray(parts), Datatype.DOUBLE_COMPLEX);
    }

    /// Like [#complex(double\[\])], for parts of type `float`.
    ///
    /// @throws MpiException `ERR_BUFFER` if the length of the array is odd
    public static Buf complex(float[] parts) {
        checkParts(given(parts).length);
        return whole(MemorySegment.ofArray(parts), Datatype.FLOAT_COMPLEX);
    }

    /// Describes an array of records of the same class. Each record is sent as the struct of
    /// [Datatype#ofRecord]. A receive stores one new record in the array for each record of the message.
    ///
    /// @throws MpiException `ERR_TYPE` if a component is not a primitive or a record of primitives;
    ///     `ERR_BUFFER` if `records` is null
    public static <R extends Record> Buf buf(@Nullable R[] records) {
        return buf(records, 0, given(records).length);
    }

    /// Like [#buf(Record\[\])], for `count` records starting at `offset`.
    ///
    /// @throws MpiException as [#buf(Record\[\])]; `ERR_BUFFER` if the range is not within the array
    public static <R extends Record> Buf buf(@Nullable R[] records, int offset, int count) {
        checkRange(given(records).length, offset, count);
        RecordShape shape = RecordShape.of(records.getClass().componentType());
        Pieces pieces = new Pieces.RecordArray(records, offset, count, shape);
        return new Buf(Memory.NONE, count, shape.type(), pieces, null, null);
    }

    /// Describes values and indices, for [Op#MINLOC] and [Op#MAXLOC]: element i consists of `values[i]` and the
    /// index `places[i]`. The data is copied during the transfer.
    ///
    /// @throws MpiException `ERR_BUFFER` if the arrays differ in length
    public static Buf buf(double[] values, int[] places) {
        return pairs(MemorySegment.ofArray(given(values)), given(places), Datatype.DOUBLE_INT, Double.BYTES);
    }

    /// Like [#buf(double\[\], int\[\])], for values of type `float`.
    ///
    /// @throws MpiException `ERR_BUFFER` if the arrays differ in length
    public static Buf buf(float[] values, int[] places) {
        return pairs(MemorySegment.ofArray(given(values)), given(places), Datatype.FLOAT_INT, Float.BYTES);
    }

    /// Like [#buf(double\[\], int\[\])], for values of type `long`.
    ///
    /// @throws MpiException `ERR_BUFFER` if the arrays differ in length
    public static Buf buf(long[] values, int[] places) {
        return pairs(MemorySegment.ofArray(given(values)), given(places), Datatype.LONG_INT, Long.BYTES);
    }

    /// Like [#buf(double\[\], int\[\])], for values of type `int`.
    ///
    /// @throws MpiException `ERR_BUFFER` if the arrays differ in length
    public static Buf buf(int[] values, int[] places) {
        return pairs(MemorySegment.ofArray(given(values)), given(places), Datatype.INT_INT, Integer.BYTES);
    }

    /// Describes the elements between the buffer's position and limit.
    ///
    /// @throws MpiException `ERR_BUFFER` if the buffer does not have the machine's byte order, wraps a
    ///     `CharSequence`, or is null
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
        return whole(BufMaker.segment(b), type);
    }

    /// Describes the bytes of a segment.
    ///
    /// @throws MpiException `ERR_BUFFER` if `s` is null
    public static Buf buf(MemorySegment s) {
        return whole(given(s), Datatype.BYTE);
    }

    /// Describes memory of a device.
    ///
    /// @throws MpiException `ERR_BUFFER` if `m` is null, or does not contain a whole number of elements of the
    ///     type
    public static Buf buf(DeviceMemory m) {
        return BufMaker.onDevice(given(m));
    }

    /// Describes a segment as consecutive elements of `type`, in the machine's byte order; the distance between
    /// elements is the type's extent.
    ///
    /// @throws MpiException `ERR_BUFFER` if the segment does not contain a whole number of elements
    public static Buf buf(MemorySegment s, Datatype type) {
        return Arguments.given("buf", "type", type).isPredefined()
                ? BufMaker.predefined(given(s), type)
                : BufMaker.wholeDerived(given(s), type);
    }

    /// Describes `count` elements of a derived type at a distance of `type.extent()` bytes; the first is at
    /// element `offset` of the array. For example, `buf(matrix, column, 1, DOUBLE.vector(rows, 1, columns))`
    /// describes a column. All elements must be within the array. If `type` is built from a single predefined
    /// type, the elements of the array must have that predefined type. MPI 4.1, section 5.1.11.
    ///
    /// @throws MpiException `ERR_BUFFER` if an element is outside of the array; `ERR_TYPE` if the array's
    ///     elements have a different type; `ERR_COUNT` if `count` is negative
    public static Buf buf(double[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `float`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(float[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.FLOAT, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `long`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(long[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.LONG, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `int`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(int[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.INT, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `short`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(short[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.SHORT, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `char`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(char[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.CHAR, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for an array of `byte`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(byte[] a, int offset, int count, Datatype type) {
        return BufMaker.of(MemorySegment.ofArray(given(a)), Datatype.BYTE, offset, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for a NIO buffer. The first element is at the buffer's
    /// position, and all elements must be below the limit.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)] and [#buf(Buffer)]
    public static Buf buf(Buffer b, int count, Datatype type) {
        return BufMaker.of(BufMaker.segment(given(b)), buf(b).datatype(), 0, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for a segment. The first element is at byte `offsetBytes`.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(MemorySegment s, long offsetBytes, long count, Datatype type) {
        return BufMaker.of(given(s), Datatype.BYTE, offsetBytes, count, type);
    }

    /// Like [#buf(double\[\], int, int, Datatype)], for memory of a device. The device packs the elements.
    ///
    /// @throws MpiException as [#buf(double\[\], int, int, Datatype)]
    public static Buf buf(DeviceMemory m, long offset, long count, Datatype type) {
        return BufMaker.of(given(m), offset, count, type);
    }

    /// Divides this description into consecutive blocks, one for each rank or neighbor, for the v form of a
    /// collective operation, such as `MPI_Gatherv`: `recv` of a gather or allgather, `send` of a scatter,
    /// `send` and `recv` of an alltoall, the operand of a reduce-scatter.
    ///
    /// @throws MpiException `ERR_COUNT` if a block is not within the buffer
    public Buf blocks(int... counts) {
        return blocks(BufMaker.longs(counts));
    }

    /// Like [#blocks(int...)], with `long` counts.
    ///
    /// @throws MpiException `ERR_COUNT` if a block is not within the buffer
    public Buf blocks(long[] counts) {
        return blocks(counts, BufMaker.consecutive(counts));
    }

    /// Like [#blocks(long\[\], long\[\])], with `int` counts and displacements.
    ///
    /// @throws MpiException as [#blocks(long\[\], long\[\])]
    public Buf blocks(int[] counts, int[] displacements) {
        return blocks(BufMaker.longs(counts), BufMaker.longs(displacements));
    }

    /// Like [#blocks(int...)], but blocks may have gaps and may be in any order: block r begins at element
    /// `displacements[r]` of this buffer.
    ///
    /// @throws MpiException `ERR_COUNT` if a block is not within the buffer, or the arrays differ in length
    public Buf blocks(long[] counts, long[] displacements) {
        checkBlocks(count, counts, displacements);
        return new Buf(
                array, memory, count, type, pieces, layout, new BlockLayout(counts.clone(), displacements.clone()));
    }

    /// Returns the number of elements.
    public long count() {
        return count;
    }

    /// Returns the type of the elements.
    public Datatype datatype() {
        return type;
    }

    long sizeBytes() {
        return count * type.elements.size();
    }

    /// Returns the number of elements of the underlying predefined type in the data.
    long wireCount() {
        return count * units();
    }

    /// Returns the number of elements of the underlying predefined type in one element.
    long units() {
        return type.elements().size() / type.elements().basic().bytes();
    }

    /// Returns the blocks of the packed data, counted in elements of the underlying predefined type; null if
    /// there are no blocks.
    @Nullable
    BlockLayout wireBlocks() {
        BlockLayout b = blocks;
        if (b == null || units() == 1) return b;
        return new BlockLayout(times(b.counts(), units()), times(b.displacements(), units()));
    }

    /// Returns the hash of the type signature of all elements if the type combines several predefined types;
    /// otherwise 0.
    int signature() {
        return type.elements().isMixed() ? type.elements().signatureHash(sizeBytes()) : 0;
    }

    /// Returns whether the first `bytes` bytes of this buffer and of `other` consist of the same predefined
    /// types.
    boolean matches(Buf other, long bytes) {
        if (!type.elements().matches(other.type.elements())) return bytes == 0 && other.sizeBytes() == 0;
        if (!type.elements().isMixed() || !other.type.elements().isMixed() || type == other.type) return true;
        return type.elements().signatureHash(bytes) == other.type.elements().signatureHash(bytes);
    }

    @Nullable
    BlockLayout blocks() {
        return blocks;
    }

    /// Returns the memory of a device; null if the data is on the host.
    Pieces.@Nullable OnDevice onDevice() {
        return pieces instanceof Pieces.OnDevice there ? there : null;
    }

    boolean isPlace() {
        return this != NONE && this != IN_PLACE;
    }

    Memory memory() {
        Memory m = memory;
        if (m == null) memory = m = Memory.ofArray(Objects.requireNonNull(array));
        return m;
    }

    /// Returns [#toMemory()]. If `last`, which an engine has used before, is the memory of the same array,
    /// returns `last`.
    Memory toMemory(Memory last) {
        boolean same = memory == null && last instanceof Memory.Heap heap && heap.array() == array;
        return same ? last : toMemory();
    }

    /// Returns [#toMemory()] for a call with this operand. If the data is copied, the copy is stored in the
    /// memory that held the copy for the previous call.
    Memory toMemory(Operand operand) {
        if (pieces == null && layout == null) return toMemory(operand.last);
        return Pieces.packed(this, operand);
    }

    /// Returns memory for those calls of an engine that do not accept a layout: the data itself, or a packed
    /// copy.
    Memory toMemory() {
        if (pieces == null && layout == null) return memory();
        return Pieces.packed(this);
    }

    /// Sets the memory of a message, which is the data itself, or a copy if the data consists of pieces.
    /// Returns the message.
    Transfer place(Transfer t) {
        if (pieces instanceof Pieces.OnDevice d) return t.at(Memory.NONE, d.started());
        return layout == null ? t.at(toMemory(t.memory), 0, sizeBytes()) : t.at(memory(), layout);
    }

    /// Sets the memory of `o`, an operand of an access to a window.
    void place(Access.Operand o) {
        if (layout == null) o.at(toMemory(o.memory), null);
        else o.at(memory(), layout);
    }

    /// Copies `bytes` bytes, starting at byte `from`, from `used` back to the data. `used` is the memory from
    /// [#toMemory] or [#place], to which an engine has written these bytes. The other bytes of `used` may be
    /// out of date.
    void fromMemory(Memory used, long from, long bytes) {
        if (pieces instanceof Pieces.OnDevice && used == Memory.NONE) return; // already in the device's memory
        if (pieces != null) pieces.scatterFrom(used.segment(), from, bytes);
        else if (layout != null && used != memory)
            layout.unpack(memory().segment(), 0, from, used.segment(), from, bytes);
    }

    /// Fills the complete buffer from packed bytes.
    void unpackFrom(MemorySegment packed) {
        if (pieces != null) pieces.scatterFrom(packed, 0, sizeBytes());
        else if (layout != null) layout.unpack(memory().segment(), 0, 0, packed, 0, sizeBytes());
        else MemorySegment.copy(packed, 0, memory().segment(), 0, sizeBytes());
    }

    /// Returns the reason why `elements` elements, starting at `from`, cannot be sent: a record is null.
    /// Returns null if all elements can be sent.
    @Nullable
    String missing(long from, long elements) {
        return pieces instanceof Pieces.RecordArray r ? r.missing(from, elements) : null;
    }

    /// Copies the current data to `used`, the memory of [#toMemory], before an engine uses this memory again.
    /// Has no effect if `used` is not a copy.
    void refresh(Memory used) {
        if (pieces instanceof Pieces.Several s) s.gatherInto(used.segment());
        else if (used != Memory.NONE && (pieces != null || layout != null && used != memory)) packInto(used.segment());
    }

    /// Packs the data into the beginning of `to`.
    void packInto(MemorySegment to) {
        if (pieces != null) pieces.gatherInto(to.asSlice(0, sizeBytes()));
        else if (layout != null) layout.pack(memory().segment(), 0, 0, to, 0, sizeBytes());
        else MemorySegment.copy(memory().segment(), 0, to, 0, sizeBytes());
    }

    /// Returns whether the elements are not contiguous.
    boolean hasGaps() {
        return layout != null;
    }

    boolean inPieces() {
        return pieces != null;
    }

    /// Returns whether a byte occurs twice, so that no message can be received into the buffer.
    boolean overlaps() {
        if (pieces instanceof Pieces.OnDevice d)
            return d.runs() != null && d.runs().overlaps();
        return layout != null && layout.overlaps();
    }

    boolean isReadOnly() {
        return pieces == null && array == null && memory().segment().isReadOnly();
    }

    @Override
    public String toString() {
        if (this == NONE) return "NONE";
        if (this == IN_PLACE) return "IN_PLACE";
        if (pieces instanceof Pieces.Several s) return s.bufs().length + " buffers";
        return count + " " + type + (blocks == null ? "" : " in blocks " + Arrays.toString(blocks.counts()));
    }
}
