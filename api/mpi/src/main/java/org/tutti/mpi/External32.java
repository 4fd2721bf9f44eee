package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.TypeMap;

/// The standard's representation for all machines: big-endian, IEEE numbers, two's complement, without gaps. In
/// this representation, Java's types have the same lengths as in memory. MPI 4.1, section 14.5.2. The data of a
/// pair (a value and an index, for example [Datatype#DOUBLE_INT]) has no gaps in a file, even in native
/// representation, because the type maps of C's pair types contain no padding.
final class External32 {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /// Whether this machine must swap bytes.
    static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private External32() {}

    /// Returns the length of the data in the representation, which is the length in memory without the gaps of
    /// pairs.
    static long bytes(Buf data) {
        return bytes(data.datatype()) * data.count();
    }

    /// Returns the length of one element in the representation.
    static long bytes(Datatype type) {
        return Arguments.given("setView", "etype", type).sizeBytes();
    }

    /// Returns the number of bytes in memory that correspond to the first `outside` bytes of elements in the
    /// file. Only the gaps of pairs are included, and no other gaps.
    static long here(Datatype type, long outside) {
        return type.elements().withGaps(outside);
    }

    /// Returns the layout of a type in a file: the data is that in memory, without the gaps of pairs. In native
    /// representation, a pair occupies the same space as in memory, and 12 bytes of this space contain data, as
    /// in C. In `external32`, a pair consists of only these 12 bytes, and displacements in elements are
    /// adapted; displacements in bytes are the program's responsibility (MPI 4.1, section 14.5.1).
    static Datatype inFile(Datatype type, boolean external) {
        if (!type.elements().hasGaps()) return type;
        TypeContents contents = type.contents();
        if (type.isPredefined()) {
            long bytes = type.sizeBytes();
            Datatype.Bounds bounds = external ? new Datatype.Bounds(0, bytes, false, Integer.BYTES) : type.bounds();
            return new Datatype(type.name(), contents, TypeMap.run(bytes), type.signature(), bounds);
        }
        Datatype[] parts =
                contents.types().stream().map(t -> inFile(t, external)).toArray(Datatype[]::new);
        Datatype made = remade(contents, parts);
        if (external) return made;
        // keeps the bounds of the type in memory, where the last pair ends 4 bytes later than in `made`
        return new Datatype(null, contents, made.map(), made.signature(), type.bounds());
    }

    /// Creates a type with the constructor of a given type, but with different constituent types. Arguments in
    /// elements refer to the new types; arguments in bytes stay unchanged.
    ///
    /// @param contents the contents of a derived type
    private static Datatype remade(TypeContents contents, Datatype... types) {
        long[] n = TypeMaker.longs(contents.integers()), addresses = TypeMaker.longs(contents.addresses());
        int count = n.length == 0 ? 0 : (int) Math.min(n[0], n.length);
        return switch (contents.combiner()) {
            case NAMED -> throw new IllegalArgumentException("a predefined type has no constituent types");
            case DUP -> types[0];
            case CONTIGUOUS -> TypeMaker.contiguous(types[0], n[0]);
            case VECTOR -> TypeMaker.vector(types[0], n[0], n[1], n[2]);
            case HVECTOR -> TypeMaker.hvector(types[0], n[0], n[1], addresses[0]);
            case INDEXED ->
                TypeMaker.indexed(types[0], TypeMaker.ints(n, 1, count), TypeMaker.ints(n, 1 + count, count));
            case HINDEXED -> TypeMaker.hindexed(types[0], TypeMaker.ints(n, 1, count), addresses);
            case INDEXED_BLOCK -> TypeMaker.indexedBlock(types[0], (int) n[1], TypeMaker.ints(n, 2, count));
            case HINDEXED_BLOCK -> TypeMaker.hindexedBlock(types[0], (int) n[1], addresses);
            case STRUCT -> TypeMaker.struct(TypeMaker.ints(n, 1, count), addresses, types);
            case SUBARRAY, DARRAY -> remadeArray(contents.combiner(), n, types[0]);
            case RESIZED -> TypeMaker.resized(types[0], addresses[0], addresses[1]);
        };
    }

    /// Creates a subarray or a distributed array from a given type, with the numbers in [TypeContents].
    private static Datatype remadeArray(Combiner combiner, long[] n, Datatype old) {
        boolean divided = combiner == Combiner.DARRAY;
        int dimensions = (int) n[divided ? 2 : 0];
        int[][] each = new int[divided ? 4 : 3][];
        int at = divided ? 3 : 1;
        for (int i = 0; i < each.length; i++) each[i] = TypeMaker.ints(n, at + i * dimensions, dimensions);
        ArrayOrder order = ArrayOrder.values()[(int) n[n.length - 1]];
        if (!divided) return ArrayTypes.subarray(old, each[0], each[1], each[2], order);
        Distribution[] ways = Arrays.stream(each[1])
                .mapToObj(way -> Distribution.values()[way])
                .toArray(Distribution[]::new);
        return ArrayTypes.darray(old, (int) n[0], (int) n[1], each[0], ways, each[2], each[3], order);
    }

    static void write(Buf data, MemorySegment to) {
        write(data, to, LITTLE);
    }

    /// Writes the data without gaps. Changes the byte order if `swaps` is set.
    static void write(Buf data, MemorySegment to, boolean swaps) {
        MemorySegment packed = Arena.ofAuto().allocate(data.sizeBytes(), Long.BYTES);
        data.packInto(packed);
        new Walk(packed, to, true, swaps).elements(data);
    }

    static void read(Buf data, MemorySegment from) {
        read(data, from, LITTLE);
    }

    /// Reads data that [#write] has written.
    static void read(Buf data, MemorySegment from, boolean swaps) {
        MemorySegment packed = Arena.ofAuto().allocate(data.sizeBytes(), Long.BYTES);
        new Walk(packed, from, false, swaps).elements(data);
        data.unpackFrom(packed);
    }

    /// Copies elements one by one between memory, `here`, and the representation, `outside`.
    private static final class Walk {
        private final MemorySegment here;
        private final MemorySegment outside;
        private final boolean out;
        private final boolean swaps;
        private long at;
        private long outsideAt;

        Walk(MemorySegment here, MemorySegment outside, boolean out, boolean swaps) {
            this.here = here;
            this.outside = outside;
            this.out = out;
            this.swaps = swaps;
        }

        void elements(Buf data) {
            for (long i = 0; i < data.count(); i++) data.datatype().signature().visit(this::run);
        }

        private void run(int code, long count) {
            ElementType type = ElementType.ofCode(code);
            int part = type.isComplex() || type == ElementType.INT_INT || type == ElementType.FLOAT_INT
                    ? type.bytes() / 2
                    : type.bytes();
            for (long i = 0; i < count; i++) {
                if (type.hasGaps()) {
                    move(Long.BYTES);
                    move(Integer.BYTES);
                    at += type.bytes() - Long.BYTES - Integer.BYTES;
                } else {
                    for (int done = 0; done < type.bytes(); done += part) move(part);
                }
            }
        }

        private void move(int bytes) {
            MemorySegment from = out ? here : outside, to = out ? outside : here;
            long fromAt = out ? at : outsideAt, toAt = out ? outsideAt : at;
            switch (bytes) {
                case 8 -> {
                    long v = from.get(LONG, fromAt);
                    to.set(LONG, toAt, swaps ? Long.reverseBytes(v) : v);
                }
                case 4 -> {
                    int v = from.get(INT, fromAt);
                    to.set(INT, toAt, swaps ? Integer.reverseBytes(v) : v);
                }
                case 2 -> {
                    short v = from.get(SHORT, fromAt);
                    to.set(SHORT, toAt, swaps ? Short.reverseBytes(v) : v);
                }
                default -> to.set(ValueLayout.JAVA_BYTE, toAt, from.get(ValueLayout.JAVA_BYTE, fromAt));
            }
            at += bytes;
            outsideAt += bytes;
        }
    }
}
