package org.tutti.conformance.trial;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;

/// `count` elements of `type` in one kind of memory, surrounded by elements that no call may change. The value
/// of an element is a `long`: whole numbers unchanged, `BOOLEAN` as 0 or 1, `FLOAT` and `DOUBLE` as bits.
public abstract class Box {
    /// Number of elements before and after a slice.
    private static final int BEFORE = 3, AFTER = 2;

    private static final byte GUARD = 0x5a;

    private final Datatype type;
    private final int count;
    private final Buf buf;
    private final String name;

    private Box(MemoryKind kind, Datatype type, int count, Buf buf) {
        this.type = type;
        this.count = count;
        this.buf = buf;
        name = kind + " of " + count + " " + type;
    }

    /// Returns the value for each index.
    @FunctionalInterface
    public interface Values {
        long at(int index);
    }

    /// @param slot 0 or 1; boxes in `Mpi.alloc` memory with the same slot share memory
    public static Box of(Trial t, int slot, MemoryKind wanted, Datatype type, int count) {
        MemoryKind kind = wanted.forType(type);
        return switch (kind) {
            case ARRAY, SLICE -> inArray(kind, type, count);
            case NATIVE -> inSegment(kind, type, count, Arena.ofAuto().allocate(room(type, count), 8));
            case ALLOC -> inSegment(kind, type, count, t.alloc(slot, room(type, count)));
            case DIRECT_NIO -> inBuffer(kind, type, count, ByteBuffer.allocateDirect((int) room(type, count)));
            case HEAP_NIO -> inBuffer(kind, type, count, ByteBuffer.allocate((int) room(type, count)));
            case ROWS -> inRows(kind, type, count);
        };
    }

    private static long room(Datatype type, int count) {
        return (long) (BEFORE + count + AFTER) * type.extent();
    }

    private static Box inArray(MemoryKind kind, Datatype type, int count) {
        boolean slice = kind == MemoryKind.SLICE;
        int offset = slice ? BEFORE : 0;
        int length = slice ? BEFORE + count + AFTER : count;
        if (type == Datatype.BOOLEAN) return new InBooleans(kind, new boolean[length], offset, count);
        MemorySegment whole;
        Buf buf;
        switch (type.name()) {
            case "BYTE" -> {
                byte[] a = new byte[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "CHAR" -> {
                char[] a = new char[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "SHORT" -> {
                short[] a = new short[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "INT" -> {
                int[] a = new int[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "LONG" -> {
                long[] a = new long[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "FLOAT" -> {
                float[] a = new float[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            case "DOUBLE" -> {
                double[] a = new double[length];
                whole = MemorySegment.ofArray(a);
                buf = slice ? Buf.buf(a, offset, count) : Buf.buf(a);
            }
            default -> throw new IllegalArgumentException("no array of " + type);
        }
        return new InSegment(kind, type, count, buf, whole, offset);
    }

    private static Box inSegment(MemoryKind kind, Datatype type, int count, MemorySegment whole) {
        MemorySegment part = whole.asSlice((long) BEFORE * type.extent(), (long) count * type.extent());
        return new InSegment(kind, type, count, Buf.buf(part, type), whole, BEFORE);
    }

    private static Box inBuffer(MemoryKind kind, Datatype type, int count, ByteBuffer bytes) {
        bytes.order(ByteOrder.nativeOrder());
        Buffer view = switch (type.name()) {
            case "BYTE" -> bytes;
            case "CHAR" -> bytes.asCharBuffer();
            case "SHORT" -> bytes.asShortBuffer();
            case "INT" -> bytes.asIntBuffer();
            case "LONG" -> bytes.asLongBuffer();
            case "FLOAT" -> bytes.asFloatBuffer();
            case "DOUBLE" -> bytes.asDoubleBuffer();
            default -> throw new IllegalArgumentException("no buffer of " + type);
        };
        MemorySegment whole = MemorySegment.ofBuffer(bytes.duplicate());
        view.position(BEFORE).limit(BEFORE + count);
        return new InSegment(kind, type, count, Buf.buf(view), whole, BEFORE);
    }

    private static Box inRows(MemoryKind kind, Datatype type, int count) {
        int[] lengths = {count / 3, 0, count - count / 3};
        return switch (type.name()) {
            case "BYTE" -> {
                byte[][] a = Arrays.stream(lengths).mapToObj(byte[]::new).toArray(byte[][]::new);
                yield rows(kind, type, Buf.buf(a), Arrays.stream(a).map(MemorySegment::ofArray));
            }
            case "INT" -> {
                int[][] a = Arrays.stream(lengths).mapToObj(int[]::new).toArray(int[][]::new);
                yield rows(kind, type, Buf.buf(a), Arrays.stream(a).map(MemorySegment::ofArray));
            }
            case "LONG" -> {
                long[][] a = Arrays.stream(lengths).mapToObj(long[]::new).toArray(long[][]::new);
                yield rows(kind, type, Buf.buf(a), Arrays.stream(a).map(MemorySegment::ofArray));
            }
            case "FLOAT" -> {
                float[][] a = Arrays.stream(lengths).mapToObj(float[]::new).toArray(float[][]::new);
                yield rows(kind, type, Buf.buf(a), Arrays.stream(a).map(MemorySegment::ofArray));
            }
            case "DOUBLE" -> {
                double[][] a = Arrays.stream(lengths).mapToObj(double[]::new).toArray(double[][]::new);
                yield rows(kind, type, Buf.buf(a), Arrays.stream(a).map(MemorySegment::ofArray));
            }
            default -> throw new IllegalArgumentException("no rows of " + type);
        };
    }

    private static Box rows(MemoryKind kind, Datatype type, Buf buf, java.util.stream.Stream<MemorySegment> rows) {
        return new InRows(kind, type, (int) buf.count(), buf, rows.toArray(MemorySegment[]::new));
    }

    public Buf buf() {
        return buf;
    }

    public Datatype type() {
        return type;
    }

    public int count() {
        return count;
    }

    public abstract long get(int index);

    public abstract void set(int index, long value);

    abstract boolean guardsAreWhole();

    public Box fill(Values values) {
        for (int i = 0; i < count; i++) set(i, values.at(i));
        return this;
    }

    /// Checks the values of the elements, and that the surrounding memory is unchanged.
    public void expect(Values values, String label) {
        for (int i = 0; i < count; i++) {
            long expected = values.at(i);
            long actual = get(i);
            if (Plain.equal(type, expected, actual)) continue;
            throw new AssertionError(label + ", " + name + ", element " + i + ": expected " + Plain.show(type, expected)
                    + " but was " + Plain.show(type, actual));
        }
        Check.that(guardsAreWhole(), label + ", " + name + ": memory outside the elements was written");
    }

    @Override
    public String toString() {
        return name;
    }

    static long read(MemorySegment s, Datatype type, long index) {
        return switch ((int) type.extent()) {
            case 1 -> s.get(JAVA_BYTE, index);
            case 2 ->
                type == Datatype.CHAR ? s.get(JAVA_CHAR_UNALIGNED, 2 * index) : s.get(JAVA_SHORT_UNALIGNED, 2 * index);
            case 4 -> s.get(JAVA_INT_UNALIGNED, 4 * index);
            default -> s.get(JAVA_LONG_UNALIGNED, 8 * index);
        };
    }

    static void write(MemorySegment s, Datatype type, long index, long value) {
        switch ((int) type.extent()) {
            case 1 -> s.set(JAVA_BYTE, index, (byte) value);
            case 2 -> s.set(JAVA_SHORT_UNALIGNED, 2 * index, (short) value);
            case 4 -> s.set(JAVA_INT_UNALIGNED, 4 * index, (int) value);
            default -> s.set(JAVA_LONG_UNALIGNED, 8 * index, value);
        }
    }

    private static final class InSegment extends Box {
        private final MemorySegment whole;
        private final MemorySegment elements;

        InSegment(MemoryKind kind, Datatype type, int count, Buf buf, MemorySegment whole, int offset) {
            super(kind, type, count, buf);
            this.whole = whole;
            elements = whole.asSlice((long) offset * type.extent(), (long) count * type.extent());
            whole.fill(GUARD);
        }

        @Override
        public long get(int index) {
            return read(elements, type(), index);
        }

        @Override
        public void set(int index, long value) {
            write(elements, type(), index, value);
        }

        @Override
        boolean guardsAreWhole() {
            long around = whole.byteSize() - elements.byteSize();
            if (around == 0) return true;
            long before = (long) BEFORE * type().extent();
            for (long i = 0; i < around; i++) {
                if (whole.get(JAVA_BYTE, i < before ? i : i + elements.byteSize()) != GUARD) return false;
            }
            return true;
        }
    }

    private static final class InBooleans extends Box {
        private final boolean[] array;
        private final int offset;

        InBooleans(MemoryKind kind, boolean[] array, int offset, int count) {
            super(
                    kind,
                    Datatype.BOOLEAN,
                    count,
                    array.length == count ? Buf.buf(array) : Buf.buf(array, offset, count));
            this.array = array;
            this.offset = offset;
            Arrays.fill(array, true);
        }

        @Override
        public long get(int index) {
            return array[offset + index] ? 1 : 0;
        }

        @Override
        public void set(int index, long value) {
            array[offset + index] = value != 0;
        }

        @Override
        boolean guardsAreWhole() {
            for (int i = 0; i < array.length; i++) {
                if ((i < offset || i >= offset + count()) && !array[i]) return false;
            }
            return true;
        }
    }

    private static final class InRows extends Box {
        private final MemorySegment[] rows;

        InRows(MemoryKind kind, Datatype type, int count, Buf buf, MemorySegment[] rows) {
            super(kind, type, count, buf);
            this.rows = rows;
        }

        @Override
        public long get(int index) {
            int first = count() / 3;
            return index < first ? read(rows[0], type(), index) : read(rows[2], type(), index - first);
        }

        @Override
        public void set(int index, long value) {
            int first = count() / 3;
            if (index < first) write(rows[0], type(), index, value);
            else write(rows[2], type(), index - first, value);
        }

        @Override
        boolean guardsAreWhole() {
            return true;
        }
    }
}
