package org.tutti.mpi;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Signature;
import org.tutti.spi.type.TypeMap;

/// The type of a buffer's elements: the basic types and the layout. The predefined types are constants; other
/// types are created from these by the methods of this class, which are MPI's type constructors. For example,
/// `DOUBLE.vector(rows, 1, columns)` is a column of a matrix. MPI 4.1, chapter 5.
///
/// A type is immutable and thread-safe, and needs no commit and no free. A message contains the sequence of
/// basic elements, the *signature*, without gaps: types with different layouts match if the signatures match,
/// and a message may end anywhere in the receiver's signature (section 3.3.1). A predefined type is equal only
/// to itself; derived types are compared by identity.
///
/// All methods are local.
///
/// [#DOUBLE_INT] and [#LONG_INT] have 12 bytes in messages and an extent of 16 bytes, as in C. This also
/// applies if they are a part of a derived type.
public final class Datatype {
    /// A `byte`.
    public static final Datatype BYTE = new Datatype(ElementType.BYTE);
    /// A `boolean`, in one byte.
    public static final Datatype BOOLEAN = new Datatype(ElementType.BOOLEAN);
    /// A `char`.
    public static final Datatype CHAR = new Datatype(ElementType.CHAR);
    /// A `short`.
    public static final Datatype SHORT = new Datatype(ElementType.SHORT);
    /// An `int`.
    public static final Datatype INT = new Datatype(ElementType.INT);
    /// A `long`.
    public static final Datatype LONG = new Datatype(ElementType.LONG);
    /// A `float`.
    public static final Datatype FLOAT = new Datatype(ElementType.FLOAT);
    /// A `double`.
    public static final Datatype DOUBLE = new Datatype(ElementType.DOUBLE);

    /// Data packed by a [Packer]. A message of this type may be received as the types that were packed, and a
    /// message of any types may be received as `PACKED`. In collective calls, `PACKED` matches `BYTE`. MPI 4.1,
    /// section 5.2.
    public static final Datatype PACKED = new Datatype(ElementType.PACKED);

    static final Datatype OBJECT = new Datatype(ElementType.OBJECT);

    /// Two `double`s: the real and the imaginary part.
    public static final Datatype DOUBLE_COMPLEX = new Datatype(ElementType.DOUBLE_COMPLEX);

    /// Two `float`s: the real and the imaginary part.
    public static final Datatype FLOAT_COMPLEX = new Datatype(ElementType.FLOAT_COMPLEX);

    /// A value and an index, for `MINLOC` and `MAXLOC`: a `double`, an `int`, and four bytes of padding.
    public static final Datatype DOUBLE_INT = new Datatype(ElementType.DOUBLE_INT);

    /// A `long`, an `int`, and four bytes of padding.
    public static final Datatype LONG_INT = new Datatype(ElementType.LONG_INT);

    /// A `float` and an `int`.
    public static final Datatype FLOAT_INT = new Datatype(ElementType.FLOAT_INT);

    /// Two `int`s: the value and the index.
    public static final Datatype INT_INT = new Datatype(ElementType.INT_INT);

    private static final int MOST_SHOWN = 8;

    final ElementType elements;
    private final Bounds bounds;
    private final TypeMap map;
    private final TypeContents contents;

    /// The name; null for a derived type without a name.
    private final @Nullable String name;

    /// The lower and the upper bound in bytes, and the alignment.
    ///
    /// @param set whether [#resized] or a similar constructor has set the bounds
    record Bounds(long lower, long upper, boolean set, long alignment) {}

    private Datatype(ElementType basic) {
        elements = basic;
        name = basic.toString();
        bounds = new Bounds(0, basic.bytes(), false, basic.alignment());
        map = TypeMap.run(basic.bytes());
        contents = new TypeContents(Combiner.NAMED, List.of(), List.of(), List.of());
    }

    /// Creates a derived type.
    Datatype(@Nullable String name, TypeContents contents, TypeMap map, Signature signature, Bounds bounds) {
        this.name = name;
        this.contents = contents;
        this.map = map;
        this.bounds = bounds;
        ElementType[] old = new ElementType[contents.types().size()];
        for (int i = 0; i < old.length; i++) old[i] = contents.types().get(i).elements;
        elements = new ElementType(new Text(this), signature, old);
    }

    /// The name of a type in an engine's errors. The name is composed only when it is needed.
    private record Text(Datatype of) {
        @Override
        public String toString() {
            return of.toString();
        }
    }

    // ---- constructors

    /// Creates a type of `count` consecutive elements. `MPI_Type_contiguous`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException `ERR_COUNT` if `count` is negative; `ERR_ARG` if the type would be longer than 2^63
    ///     - 1 bytes
    public Datatype contiguous(long count) {
        return TypeMaker.contiguous(this, count);
    }

    /// Creates a type of `count` blocks of `blockLength` elements. Each block starts `stride` elements after
    /// the previous block; the stride may be negative. `MPI_Type_vector`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException `ERR_COUNT` if a number other than the stride is negative; `ERR_ARG` if the type
    ///     would be longer than 2^63 - 1 bytes
    public Datatype vector(long count, long blockLength, long stride) {
        return TypeMaker.vector(this, count, blockLength, stride);
    }

    /// Like [#vector], but the stride is in bytes. `MPI_Type_create_hvector`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException as [#vector]
    public Datatype hvector(long count, long blockLength, long strideBytes) {
        return TypeMaker.hvector(this, count, blockLength, strideBytes);
    }

    /// Creates a type of blocks: block i has `blockLengths[i]` elements and begins at element
    /// `displacements[i]`. `MPI_Type_indexed`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException `ERR_COUNT` if a length is negative; `ERR_ARG` if the arrays differ in length, or
    ///     the type would be longer than 2^63 - 1 bytes
    public Datatype indexed(int[] blockLengths, int[] displacements) {
        return TypeMaker.indexed(this, blockLengths, displacements);
    }

    /// Like [#indexed], but the displacements are in bytes. `MPI_Type_create_hindexed`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException as [#indexed]
    public Datatype hindexed(int[] blockLengths, long[] displacementsBytes) {
        return TypeMaker.hindexed(this, blockLengths, displacementsBytes);
    }

    /// Like [#indexed], but all blocks have the same length. `MPI_Type_create_indexed_block`, MPI 4.1, section
    /// 5.1.2.
    ///
    /// @throws MpiException as [#indexed]
    public Datatype indexedBlock(int blockLength, int[] displacements) {
        return TypeMaker.indexedBlock(this, blockLength, displacements);
    }

    /// Like [#indexedBlock], but the displacements are in bytes. `MPI_Type_create_hindexed_block`, MPI 4.1,
    /// section 5.1.2.
    ///
    /// @throws MpiException as [#indexed]
    public Datatype hindexedBlock(int blockLength, long[] displacementsBytes) {
        return TypeMaker.hindexedBlock(this, blockLength, displacementsBytes);
    }

    /// Creates a type that consists of blocks of several types: block i has `blockLengths[i]` elements of
    /// `types[i]` and begins at byte `displacementsBytes[i]`. The extent is rounded up to the alignment that
    /// the elements have in C, unless [#resized] has set the extent of an element type. For a Java record see
    /// [#ofRecord]. `MPI_Type_create_struct`, MPI 4.1, section 5.1.2.
    ///
    /// @throws MpiException as [#indexed]
    public static Datatype struct(int[] blockLengths, long[] displacementsBytes, Datatype... types) {
        return TypeMaker.struct(blockLengths, displacementsBytes, types);
    }

    /// Like [#subarray(int\[\], int\[\], int\[\], ArrayOrder)], in the order of Java and C.
    ///
    /// @throws MpiException as [#subarray(int\[\], int\[\], int\[\], ArrayOrder)]
    public Datatype subarray(int[] sizes, int[] partSizes, int[] starts) {
        return subarray(sizes, partSizes, starts, ArrayOrder.C);
    }

    /// Creates the type of a part of an array with `sizes[d]` elements along dimension d: `partSizes[d]`
    /// elements starting at `starts[d]`. The extent is the extent of the whole array.
    /// `MPI_Type_create_subarray`, MPI 4.1, section 5.1.3.
    ///
    /// @throws MpiException `ERR_ARG` if the part is not within the array, or the arrays differ in length
    public Datatype subarray(int[] sizes, int[] partSizes, int[] starts, ArrayOrder order) {
        return ArrayTypes.subarray(this, sizes, partSizes, starts, order);
    }

    /// Creates the type of one process's part of a distributed array; `rank` is the number of the process. The
    /// array is distributed over a grid of `size` processes, which are in row-major order, with `processes[d]`
    /// processes along dimension d. Dimension d is divided according to `distributions[d]`, in blocks of
    /// `arguments[d]` elements. If `arguments[d]` is [Distribution#DEFAULT_ARGUMENT], the blocks have the
    /// standard's default length. The extent is the extent of the whole array. `MPI_Type_create_darray`, MPI
    /// 4.1, section 5.1.4.
    ///
    /// @throws MpiException `ERR_ARG` if the numbers are inconsistent
    public Datatype darray(
            int size,
            int rank,
            int[] sizes,
            Distribution[] distributions,
            int[] arguments,
            int[] processes,
            ArrayOrder order) {
        return ArrayTypes.darray(this, size, rank, sizes, distributions, arguments, processes, order);
    }

    /// Creates a type of the same elements with the given bounds: consecutive elements begin at a distance of
    /// `extent` bytes, and types that contain the new type use these bounds. `MPI_Type_create_resized`, MPI
    /// 4.1, section 5.1.7.
    ///
    /// @throws MpiException `ERR_ARG` if the type would be longer than 2^63 - 1 bytes
    public Datatype resized(long lowerBound, long extent) {
        return TypeMaker.resized(this, lowerBound, extent);
    }

    /// Returns a separate object with the same elements, layout and name. `MPI_Type_dup`, MPI 4.1, section
    /// 5.1.10.
    public Datatype dup() {
        return new Datatype(name, copy(), map, signature(), bounds);
    }

    /// Returns the same type with a name for use in messages. For a predefined type, returns a [#dup], because
    /// only the constants are predefined. `MPI_Type_set_name`, MPI 4.1, section 7.8.
    public Datatype named(String text) {
        return new Datatype(
                Arguments.given("named", "text", text), isPredefined() ? copy() : contents, map, signature(), bounds);
    }

    private TypeContents copy() {
        return new TypeContents(Combiner.DUP, List.of(), List.of(), List.of(this));
    }

    /// Returns the struct that C would create from the components of a record, in order and with alignment. The
    /// components must be primitives, or records of primitives. `boolean` has one byte. Arrays, strings and
    /// other objects cannot be components; use `sendObject` for a record with such components. See [Records]
    /// for arrays of records in memory, and [Buf#buf(Record\[\])].
    ///
    /// @throws MpiException `ERR_TYPE` if a component has an unsupported type
    public static Datatype ofRecord(Class<? extends Record> type) {
        return RecordShape.of(Arguments.given("ofRecord", "type", type)).type();
    }

    // ---- properties

    /// Returns the name by which errors refer to this type. `MPI_Type_get_name`, MPI 4.1, section 7.8.
    public String name() {
        return toString();
    }

    /// Returns whether this type is one of the constants.
    public boolean isPredefined() {
        return contents.combiner() == Combiner.NAMED;
    }

    /// Returns the number of bytes of an element in a message, without gaps. `MPI_Type_size`, MPI 4.1, section
    /// 5.1.5.
    public long sizeBytes() {
        return elements.withoutGaps(elements.size());
    }

    /// Returns the distance from one element to the next, in bytes. `MPI_Type_get_extent`, MPI 4.1, section
    /// 5.1.7.
    public long extent() {
        return bounds.upper - bounds.lower;
    }

    /// Returns the lower bound of an element in bytes. The bound may be negative, and may be after the first
    /// byte of data. `MPI_Type_get_extent`, MPI 4.1, section 5.1.7.
    public long lowerBound() {
        return bounds.lower;
    }

    /// Returns the upper bound of an element in bytes. MPI 4.1, section 5.1.7.
    public long upperBound() {
        return bounds.upper;
    }

    /// Returns the distance from the first byte of data to the end of the last byte of data, in bytes.
    /// `MPI_Type_get_true_extent`, MPI 4.1, section 5.1.8.
    public long trueExtent() {
        TypeMap data = External32.inFile(this, false).map();
        return data.high() - data.low();
    }

    /// Returns the offset of the first byte of data. `MPI_Type_get_true_extent`, MPI 4.1, section 5.1.8.
    public long trueLowerBound() {
        return map.low();
    }

    /// Returns the constructor and the arguments of this type. `MPI_Type_get_envelope` and
    /// `MPI_Type_get_contents`, MPI 4.1, section 5.1.13.
    public TypeContents contents() {
        return contents;
    }

    Bounds bounds() {
        return bounds;
    }

    /// Returns the position in memory of each packed byte.
    TypeMap map() {
        return map;
    }

    /// Returns the element type that represents this type in engines.
    ElementType elements() {
        return elements;
    }

    Signature signature() {
        return elements.signature();
    }

    @Override
    public String toString() {
        if (name != null) return name;
        String old =
                contents.types().stream().map(Datatype::toString).distinct().collect(Collectors.joining(", "));
        return word() + "(" + shown(contents.integers(), contents.addresses()) + ") of " + old;
    }

    /// Returns the name of the constructor, for example `hindexedBlock`.
    private String word() {
        StringBuilder word = new StringBuilder();
        for (String part : contents.combiner().name().toLowerCase(Locale.ROOT).split("_")) {
            word.append(word.isEmpty() ? part : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return word.toString();
    }

    private static String shown(List<Long> integers, List<Long> addresses) {
        String all = Stream.concat(integers.stream(), addresses.stream())
                .limit(MOST_SHOWN)
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        return integers.size() + addresses.size() > MOST_SHOWN ? all + ", …" : all;
    }
}
