package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import org.tutti.mpi.devices.PackedRuns;
import org.tutti.spi.Memory;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.TypeMap;
import org.tutti.spi.type.TypeMapLayout;

/// Checks the arguments of the methods of [Buf], and creates the buffers.
final class BufMaker {
    private BufMaker() {}

    /// Returns a buffer of `count` elements of a derived type in memory of a device; the first element is at
    /// byte `base`.
    static Buf derived(DeviceMemory m, long base, long count, Datatype type) {
        PackedRuns runs = runs(new TypeMapLayout(type.map().loop(count, type.extent())), base);
        Pieces pieces = new Pieces.OnDevice(m, runs);
        return new Buf(Memory.NONE, count, type, pieces, null, null);
    }

    /// Returns a buffer of `count` elements of a derived type in `s`; the first element is at byte `base`.
    static Buf derived(MemorySegment s, long base, long count, Datatype type) {
        TypeMap map = type.map().loop(count, type.extent()).moved(base);
        if (!map.isDense()) {
            return new Buf(Memory.of(s), count, type, null, new TypeMapLayout(map), null);
        }
        long length = map.piece().bytes();
        MemorySegment part = length == 0 ? s.asSlice(0, 0) : s.asSlice(map.offset(), length);
        return new Buf(Memory.of(part), count, type, null, null, null);
    }

    static <T> T given(T data) {
        if (data != null) return data;
        throw MpiException.argument(ErrorClass.ERR_BUFFER, "buf", "the data is null; pass Buf.NONE for no data", null);
    }

    /// Returns the rows, after checking that no row is null.
    static <T> T[] givenRows(String operation, T[] rows) {
        if (rows == null) throw noRow(operation, "the array of rows");
        for (int r = 0; r < rows.length; r++) if (rows[r] == null) throw noRow(operation, "row " + r);
        return rows;
    }

    private static MpiException noRow(String operation, String what) {
        return MpiException.argument(ErrorClass.ERR_BUFFER, operation, what + " is null", null);
    }

    static Datatype ordered(ByteOrder order, Datatype type) {
        if (order == ByteOrder.nativeOrder()) return type;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "buf",
                "a buffer of " + type + " in " + order + " order; this machine's is " + ByteOrder.nativeOrder()
                        + ": set order(ByteOrder.nativeOrder()) on the ByteBuffer before viewing it",
                null);
    }

    /// Returns a buffer of all elements of a predefined type in the segment.
    static Buf predefined(MemorySegment s, Datatype type) {
        if (s.byteSize() % type.elements().bytes() == 0) return whole(s, type);
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "buf",
                "a segment of " + s.byteSize() + " bytes is not a whole number of " + type + " elements of "
                        + type.elements().bytes() + " bytes",
                null);
    }

    static Buf whole(MemorySegment s, Datatype type) {
        return new Buf(Memory.of(s), s.byteSize() / type.elements().bytes(), type, null, null, null);
    }

    static Buf part(MemorySegment s, Datatype type, int offset, int count) {
        checkRange(s.byteSize() / type.elements().bytes(), offset, count);
        return whole(
                s.asSlice(
                        (long) offset * type.elements().bytes(),
                        (long) count * type.elements().bytes()),
                type);
    }

    static Buf rows(Stream<MemorySegment> rows, Datatype type) {
        return rows(rows.toArray(MemorySegment[]::new), type);
    }

    static Buf rows(MemorySegment[] rows, Datatype type) {
        long bytes = 0;
        for (MemorySegment row : rows) bytes += row.byteSize();
        return new Buf(Memory.NONE, bytes / type.elements().bytes(), type, new Pieces.Rows(rows), null, null);
    }

    static Buf onDevice(DeviceMemory m) {
        Datatype type = m.type();
        if (!type.isPredefined() || m.byteSize() % type.elements().bytes() != 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    m.byteSize() + " bytes on " + m.device() + " are not a whole number of " + type + " elements of "
                            + type.elements().bytes() + " bytes",
                    null);
        }
        return new Buf(
                Memory.NONE, m.byteSize() / type.elements().bytes(), type, new Pieces.OnDevice(m, null), null, null);
    }

    /// Combines the buffers of a call that has one buffer for each rank. `used` is the memory that the engine
    /// uses for each buffer.
    static Buf several(Buf[] bufs, Memory[] used) {
        return new Buf(Memory.NONE, 0, Datatype.BYTE, new Pieces.Several(bufs, used), null, null);
    }

    static Buf pairs(MemorySegment values, int[] places, Datatype type, int valueBytes) {
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

    static long[] longs(int[] values) {
        if (values == null) throw noBlocks();
        long[] longs = new long[values.length];
        for (int i = 0; i < longs.length; i++) longs[i] = values[i];
        return longs;
    }

    /// Returns the displacements of blocks without gaps.
    static long[] consecutive(long[] counts) {
        if (counts == null) throw noBlocks();
        long[] displacements = new long[counts.length];
        for (int r = 1; r < counts.length; r++) displacements[r] = displacements[r - 1] + counts[r - 1];
        return displacements;
    }

    private static MpiException noBlocks() {
        return MpiException.argument(
                ErrorClass.ERR_COUNT, "blocks", "the array of counts or of displacements is null", null);
    }

    /// Checks the blocks of a buffer that has `count` elements.
    static void checkBlocks(long count, long[] counts, long[] displacements) {
        if (counts == null || displacements == null) throw noBlocks();
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
                                + " is not within the buffer's " + count + " elements",
                        null);
            }
        }
    }

    static void checkParts(int parts) {
        if (parts % 2 == 0) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "complex",
                "an array of " + parts + " is not a whole number of complex numbers of two elements",
                null);
    }

    static void checkRange(long length, int offset, int count) {
        if (offset < 0 || count < 0 || offset > length - count) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "offset=" + offset + ", count=" + count + " are not within an array of " + length,
                    null);
        }
    }

    static long[] times(long[] numbers, long factor) {
        return Arrays.stream(numbers).map(n -> n * factor).toArray();
    }

    // ---- derived types

    /// Returns a buffer of all elements in `s`, which must contain a whole number of elements.
    static Buf wholeDerived(MemorySegment s, Datatype type) {
        long extent = type.extent();
        if (extent <= 0 || s.byteSize() % extent != 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "a segment of " + s.byteSize() + " bytes is not a whole number of " + type + " elements of "
                            + extent + " bytes; pass the count: buf(segment, offset, count, type)",
                    null);
        }
        return of(s, Datatype.BYTE, 0, s.byteSize() / extent, type);
    }

    /// Returns a buffer of `count` elements of `type`. `offset` is the start of the first element, counted in
    /// elements of type `memory`.
    static Buf of(MemorySegment s, Datatype memory, long offset, long count, Datatype type) {
        return derived(s, base(s.byteSize(), memory, offset, count, type), count, type);
    }

    /// Returns the runs of bytes that `count` elements of `type` occupy in memory of `bytes` bytes; the first
    /// element is at byte `offset`.
    static PackedRuns runs(long bytes, long offset, long count, Datatype type) {
        long base = base(bytes, Datatype.BYTE, offset, count, type);
        return runs(new TypeMapLayout(type.map().loop(count, type.extent())), base);
    }

    /// Returns a buffer of `count` elements of `type` in memory of a device. `offset` is counted in elements of
    /// the memory's type.
    static Buf of(DeviceMemory m, long offset, long count, Datatype type) {
        return derived(m, base(m.byteSize(), m.type(), offset, count, type), count, type);
    }

    /// Checks that all elements are within `bytes` bytes, and returns the byte at which the first element
    /// begins.
    private static long base(long bytes, Datatype memory, long offset, long count, Datatype type) {
        Arguments.given("buf", "type", type);
        if (count < 0) {
            throw MpiException.argument(ErrorClass.ERR_COUNT, "buf", "count=" + count + " is negative", null);
        }
        if (memory != Datatype.BYTE
                && type.elements().size() > 0
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
        if (type.elements().size() == 0 || count == 0) return 0;
        try {
            long base = Math.multiplyExact(offset, memory.sizeBytes());
            long reach = Math.multiplyExact(count - 1, type.extent());
            long first = Math.addExact(base, Math.addExact(type.map().low(), Math.min(0, reach)));
            long end = Math.addExact(base, Math.addExact(type.map().high(), Math.max(0, reach)));
            if (first >= 0 && end <= bytes) return base;
            throw outside(bytes, offset, count, type, "bytes " + first + " to " + end);
        } catch (ArithmeticException e) {
            throw outside(bytes, offset, count, type, "more than 2^63 - 1 bytes");
        }
    }

    private static MpiException outside(long bytes, long offset, long count, Datatype type, String reach) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                "buf",
                "offset=" + offset + ", count=" + count + " of " + type + " need " + reach + " of a memory of " + bytes
                        + " bytes",
                null);
    }

    private static boolean consistsOf(ElementType memory, ElementType element) {
        return element == memory
                || element == ElementType.DOUBLE_COMPLEX && memory == ElementType.DOUBLE
                || element == ElementType.FLOAT_COMPLEX && memory == ElementType.FLOAT
                || element == ElementType.INT_INT && memory == ElementType.INT;
    }

    /// Returns the memory between the buffer's position and limit.
    static MemorySegment segment(Buffer b) {
        try {
            return MemorySegment.ofBuffer(b);
        } catch (IllegalArgumentException e) {
            MpiException none = MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    "buf",
                    "a CharBuffer that wraps a CharSequence has no memory; pass text.toCharArray(), or send the text with"
                            + " sendObject",
                    null);
            none.addSuppressed(e);
            throw none;
        }
    }

    private static PackedRuns runs(Layout layout, long base) {
        try {
            return new PackedRuns(layout, base);
        } catch (IllegalArgumentException e) {
            throw MpiException.argument(ErrorClass.ERR_COUNT, "buf", String.valueOf(e.getMessage()), null);
        }
    }
}
