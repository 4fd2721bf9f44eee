package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// Buffers with elements of a derived type: checks, once, that all of them lie where they should.
final class DerivedBuf {
    private DerivedBuf() {}

    /// As many elements as `s` has room for, which is to be a whole number.
    static Buf whole(MemorySegment s, Datatype type) {
        long extent = type.extent();
        if (extent <= 0 || s.byteSize() % extent != 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "a segment of " + s.byteSize() + " bytes is no whole number of " + type + " elements of " + extent
                            + " bytes; say how many: buf(segment, offset, count, type)",
                    null);
        }
        return of(s, Datatype.BYTE, 0, s.byteSize() / extent, type);
    }

    /// `count` elements, the first at `offset`, in elements of what the memory consists of.
    static Buf of(MemorySegment s, Datatype memory, long offset, long count, Datatype type) {
        if (count < 0) {
            throw MpiException.argument(ErrorClass.ERR_COUNT, "buf", "count=" + count + " is negative", null);
        }
        if (memory != Datatype.BYTE
                && type.size() > 0
                && !consistsOf(memory.elements(), type.elements().basic())) {
            throw MpiException.argument(
                    ErrorClass.ERR_TYPE,
                    "buf",
                    "the array is of " + memory + " but " + type + " consists of "
                            + (type.elements().isMixed()
                                    ? "several types; use a byte[] or a segment"
                                    : type.elements().basic()),
                    null);
        }
        if (type.size() == 0 || count == 0) return BufMaker.derived(s, 0, count, type);
        try {
            long base = Math.multiplyExact(offset, (long) memory.bytes());
            long reach = Math.multiplyExact(count - 1, type.extent());
            long first = Math.addExact(base, Math.addExact(type.map().low(), Math.min(0, reach)));
            long end = Math.addExact(base, Math.addExact(type.map().high(), Math.max(0, reach)));
            if (first >= 0 && end <= s.byteSize()) return BufMaker.derived(s, base, count, type);
            throw outside(s, offset, count, type, "bytes " + first + " to " + end);
        } catch (ArithmeticException e) {
            throw outside(s, offset, count, type, "more bytes than can be counted");
        }
    }

    private static MpiException outside(MemorySegment s, long offset, long count, Datatype type, String reach) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "buf",
                "offset=" + offset + ", count=" + count + " of " + type + " take " + reach + " of memory that has "
                        + s.byteSize(),
                null);
    }

    private static boolean consistsOf(ElementType memory, ElementType element) {
        return element == memory
                || element == ElementType.DOUBLE_COMPLEX && memory == ElementType.DOUBLE
                || element == ElementType.FLOAT_COMPLEX && memory == ElementType.FLOAT
                || element == ElementType.INT_INT && memory == ElementType.INT;
    }
}
