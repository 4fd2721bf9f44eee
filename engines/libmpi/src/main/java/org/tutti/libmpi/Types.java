package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.DatatypeFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.libmpi.raw.LargeCountFunctions;
import org.tutti.spi.type.ElementType;

/// The library's types for Tutti's types, and types for more elements than an `int` can count.
final class Types {
    private static final long[] BY_CODE = new long[ElementType.CODES];

    /// For reductions on derived types: the library's type of one element; the key is the basic type and the
    /// number of basic elements. The types are retained, because a program has few.
    private static final ConcurrentHashMap<Element, Long> ELEMENTS = new ConcurrentHashMap<>();

    private record Element(ElementType basic, long count) {}

    static {
        BY_CODE[ElementType.BYTE.code()] = MPI_INT8_T;
        BY_CODE[ElementType.BOOLEAN.code()] = MPI_C_BOOL;
        BY_CODE[ElementType.CHAR.code()] = MPI_UINT16_T;
        BY_CODE[ElementType.SHORT.code()] = MPI_INT16_T;
        BY_CODE[ElementType.INT.code()] = MPI_INT32_T;
        BY_CODE[ElementType.LONG.code()] = MPI_INT64_T;
        BY_CODE[ElementType.FLOAT.code()] = MPI_FLOAT;
        BY_CODE[ElementType.DOUBLE.code()] = MPI_DOUBLE;
        BY_CODE[ElementType.OBJECT.code()] = MPI_BYTE;
        BY_CODE[ElementType.DOUBLE_COMPLEX.code()] = MPI_C_DOUBLE_COMPLEX;
        BY_CODE[ElementType.FLOAT_COMPLEX.code()] = MPI_C_FLOAT_COMPLEX;
        // pairs with a `double` or `long` have 12 bytes in a message and an extent of 16 bytes, as in programs
        // in other languages
        BY_CODE[ElementType.DOUBLE_INT.code()] = MPI_DOUBLE_INT;
        BY_CODE[ElementType.LONG_INT.code()] = MPI_LONG_INT;
        BY_CODE[ElementType.FLOAT_INT.code()] = MPI_FLOAT_INT;
        BY_CODE[ElementType.INT_INT.code()] = MPI_2INT;
        // packed elements that consist of several types are sent as bytes
        BY_CODE[ElementType.INT_INT.code() + 1] = MPI_BYTE;
        BY_CODE[ElementType.PACKED.code()] = MPI_PACKED;
    }

    private Types() {}

    /// Returns the type for moving packed elements. One element of this type is one packed element of
    /// `type.basic()`.
    static long of(ElementType type) {
        return BY_CODE[type.code()];
    }

    /// Returns the type for reducing elements of `type`. Booleans are reduced as `MPI_UINT8_T`, because
    /// `MPI_C_BOOL` has no bitwise operations (MPI 4.1, section 6.9.2). If all bytes are 0 or 1, the logical
    /// operations have the same results for both types.
    static long ofOperand(ElementType type) {
        if (type == ElementType.BOOLEAN) return MPI_UINT8_T;
        if (!type.isBasic()) {
            Element element =
                    new Element(type.basic(), type.size() / type.basic().bytes());
            return ELEMENTS.computeIfAbsent(element, e -> contiguous(e.basic, e.count));
        }
        return BY_CODE[type.code()];
    }

    /// Like [#of], for accesses to windows. A pair with a gap is moved with the gap, as 16 bytes.
    static long inWindow(ElementType type) {
        return type.basic().hasGaps() ? MPI_C_DOUBLE_COMPLEX : of(type);
    }

    /// Returns the number of elements of `type`'s wire type in `bytes` bytes. Sizes of elements are powers of
    /// two.
    static long elements(ElementType type, long bytes) {
        return bytes >>> Integer.numberOfTrailingZeros(type.basic().bytes());
    }

    static boolean fitsInt(long count) {
        return count <= Integer.MAX_VALUE;
    }

    /// Returns a committed type of `count` elements of `type`; the caller must [#free] this type as soon as the
    /// call that uses it returns. Pending communication retains a freed type (MPI 4.1, section 5.1.9).
    static long contiguous(ElementType type, long count) {
        long element = of(type);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(8, 8);
            long whole = fitsInt(count) ? contiguous(element, (int) count, out) : large(type, element, count, arena);
            ABI.writeHandle(out, whole);
            check(MPI_Type_commit(out));
            return ABI.readHandle(out);
        }
    }

    /// Returns a single type for all elements if `count` exceeds an `int` and the library has no functions for
    /// such counts; the caller must call [#freeWhole] after the call that uses the type. Otherwise returns 0.
    static long whole(ElementType type, long count) {
        return fitsInt(count) || LargeCountFunctions.AVAILABLE ? 0 : contiguous(type, count);
    }

    static void freeWhole(long whole) {
        if (whole != 0) free(whole);
    }

    /// Returns a structure that consists of chunks of 2^30 elements and of the remaining elements.
    private static long large(ElementType type, long element, long count, Arena arena) {
        int chunk = 1 << 30;
        long chunks = count / chunk;
        int handleBytes = (int) ABI.handle().byteSize();
        MemorySegment out = arena.allocate(8, 8);
        long piece = contiguous(element, chunk, out);
        long pieces = contiguous(piece, Math.toIntExact(chunks), out);
        long remainder = contiguous(element, (int) (count % chunk), out);
        MemorySegment lengths = arena.allocateFrom(JAVA_INT, 1, 1);
        MemorySegment displacements =
                arena.allocateFrom(JAVA_LONG, 0L, chunks * chunk * type.basic().bytes());
        MemorySegment parts = arena.allocate(2L * handleBytes, 8);
        ABI.writeHandle(parts, pieces);
        ABI.writeHandle(parts.asSlice(handleBytes), remainder);
        check(MPI_Type_create_struct(2, lengths, displacements, parts, out));
        long whole = ABI.readHandle(out);
        free(piece);
        free(pieces);
        free(remainder);
        return whole;
    }

    private static long contiguous(long element, int count, MemorySegment out) {
        check(MPI_Type_contiguous(count, element, out));
        return ABI.readHandle(out);
    }

    /// Called before finalization: MPICH reports types that were not freed.
    static void freeElements() {
        ELEMENTS.values().forEach(Types::free);
        ELEMENTS.clear();
    }

    static void free(long type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment at = arena.allocate(ValueLayout.JAVA_LONG);
            ABI.writeHandle(at, type);
            check(MPI_Type_free(at));
        }
    }

    private static void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "datatype", null);
    }
}
