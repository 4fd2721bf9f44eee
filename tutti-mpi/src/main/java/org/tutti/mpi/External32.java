package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.tutti.spi.type.ElementType;

/// The standard's representation for all machines: big-endian, IEEE numbers, two's complement, without
/// gaps. Java's types have there the lengths that they have here. MPI 4.1, section 14.5.2.
final class External32 {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private External32() {}

    /// How long all of it is there: as long as here, but for the gap of the long pairs.
    static long bytes(Buf data) {
        long[] sum = new long[1];
        data.type().signature().visit((code, count) -> sum[0] += count * outside(ElementType.ofCode(code)));
        return sum[0] * data.count();
    }

    static void write(Buf data, MemorySegment to) {
        MemorySegment packed = Arena.ofAuto().allocate(data.lengthBytes(), Long.BYTES);
        data.packInto(packed);
        new Walk(packed, to, true).elements(data);
    }

    static void read(Buf data, MemorySegment from) {
        MemorySegment packed = Arena.ofAuto().allocate(data.lengthBytes(), Long.BYTES);
        new Walk(packed, from, false).elements(data);
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
        private long at;
        private long outsideAt;

        Walk(MemorySegment here, MemorySegment outside, boolean out) {
            this.here = here;
            this.outside = outside;
            this.out = out;
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
                    to.set(LONG, toAt, LITTLE ? Long.reverseBytes(v) : v);
                }
                case 4 -> {
                    int v = from.get(INT, fromAt);
                    to.set(INT, toAt, LITTLE ? Integer.reverseBytes(v) : v);
                }
                case 2 -> {
                    short v = from.get(SHORT, fromAt);
                    to.set(SHORT, toAt, LITTLE ? Short.reverseBytes(v) : v);
                }
                default -> to.set(ValueLayout.JAVA_BYTE, toAt, from.get(ValueLayout.JAVA_BYTE, fromAt));
            }
            at += bytes;
            outsideAt += bytes;
        }
    }
}
