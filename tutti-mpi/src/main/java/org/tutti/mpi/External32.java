package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.tutti.spi.type.ElementType;

/// The standard's representation for all machines: big-endian, IEEE numbers, two's complement, without
/// gaps. Java's types have there the lengths that they have here. MPI 4.1, section 14.5.2. In files, pairs have no
/// gaps in the machine's own byte order either.
final class External32 {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /// Whether bytes must be swapped on this machine.
    static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private External32() {}

    /// How long all of it is there: as long as here, but for the gap of the long pairs.
    static long bytes(Buf data) {
        return bytes(data.type()) * data.count();
    }

    /// The same of one element.
    static long bytes(Datatype type) {
        ElementType elements = type.elements();
        if (!elements.isMixed()) {
            return type.size() / elements.basic().bytes() * outside(elements.basic());
        }
        long[] sum = new long[1];
        type.signature().visit((code, count) -> sum[0] += count * outside(ElementType.ofCode(code)));
        return sum[0];
    }

    static void write(Buf data, MemorySegment to) {
        write(data, to, LITTLE);
    }

    /// Without gaps, and in the other byte order or not.
    static void write(Buf data, MemorySegment to, boolean swaps) {
        MemorySegment packed = Arena.ofAuto().allocate(data.lengthBytes(), Long.BYTES);
        data.packInto(packed);
        new Walk(packed, to, true, swaps).elements(data);
    }

    static void read(Buf data, MemorySegment from) {
        read(data, from, LITTLE);
    }

    /// The other way.
    static void read(Buf data, MemorySegment from, boolean swaps) {
        MemorySegment packed = Arena.ofAuto().allocate(data.lengthBytes(), Long.BYTES);
        new Walk(packed, from, false, swaps).elements(data);
        data.unpackFrom(packed);
    }

    private static int outside(ElementType type) {
        return hasGap(type) ? Long.BYTES + Integer.BYTES : type.bytes();
    }

    private static boolean hasGap(ElementType type) {
        return type == ElementType.DOUBLE_INT || type == ElementType.LONG_INT;
    }

    /// Along the elements, here and outside.
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
            for (long i = 0; i < data.count(); i++) data.type().signature().visit(this::run);
        }

        private void run(int code, long count) {
            ElementType type = ElementType.ofCode(code);
            int part = type.isComplex() || type == ElementType.INT_INT || type == ElementType.FLOAT_INT
                    ? type.bytes() / 2
                    : type.bytes();
            for (long i = 0; i < count; i++) {
                if (hasGap(type)) {
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
