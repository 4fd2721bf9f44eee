package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// A struct as in C, stored in bytes. A subclass adds fields, which are consecutive unless [#setOffset] sets
/// another offset; the struct's [Data] reads and writes the fields at the byte offsets that `add…` has
/// returned.
public abstract class Struct {
    private final List<Datatype> types = new ArrayList<>();
    private final List<Integer> offsets = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();

    /// The offset of the next field.
    private int next;

    /// The type; null until the program requests it. After that, no field may be added.
    private Datatype type;

    private int extent;

    public Struct() {}

    protected abstract Struct.Data newData();

    /// Marks this struct as a predefined type.
    final void isOf(Datatype predefined) {
        type = predefined;
        extent = predefined.extentBytes();
    }

    public final Struct setOffset(int offset) {
        next = offset;
        return this;
    }

    private int add(Datatype of, int length) {
        if (type != null)
            throw new IllegalStateException("a field is added to a struct after the creation of its type");
        int at = next;
        types.add(of);
        offsets.add(at);
        lengths.add(length);
        next = Math.addExact(at, Math.multiplyExact(of.extentBytes(), length));
        return at;
    }

    public final int addByte() {
        return addByte(1);
    }

    public final int addByte(int length) {
        return add(MPI.BYTE, length);
    }

    public final int addChar() {
        return addChar(1);
    }

    public final int addChar(int length) {
        return add(MPI.CHAR, length);
    }

    public final int addDouble() {
        return addDouble(1);
    }

    public final int addDouble(int length) {
        return add(MPI.DOUBLE, length);
    }

    public final int addFloat() {
        return addFloat(1);
    }

    public final int addFloat(int length) {
        return add(MPI.FLOAT, length);
    }

    public final int addInt() {
        return addInt(1);
    }

    public final int addInt(int length) {
        return add(MPI.INT, length);
    }

    public final int addLong() {
        return addLong(1);
    }

    public final int addLong(int length) {
        return add(MPI.LONG, length);
    }

    public final int addShort() {
        return addShort(1);
    }

    public final int addShort(int length) {
        return add(MPI.SHORT, length);
    }

    public final int addStruct(Struct struct) throws MPIException {
        return addStruct(struct, 1);
    }

    public final int addStruct(Struct struct, int length) throws MPIException {
        return add(struct.getType(), length);
    }

    public final int addData(Datatype of) throws MPIException {
        return addData(of, 1);
    }

    public final int addData(Datatype of, int length) throws MPIException {
        return add(of, length);
    }

    public final int getExtent() throws MPIException {
        getType();
        return extent;
    }

    public final Datatype getType() throws MPIException {
        if (type == null) {
            type = Datatype.createStruct(numbers(lengths), numbers(offsets), types.toArray(Datatype[]::new));
            extent = type.extentBytes();
        }
        return type;
    }

    private static int[] numbers(List<Integer> all) {
        return all.stream().mapToInt(Integer::intValue).toArray();
    }

    public final <T extends Struct.Data> T getData(byte[] array) throws MPIException {
        return getData(array, 0);
    }

    public final <T extends Struct.Data> T getData(byte[] array, int index) throws MPIException {
        return view(ByteBuffer.wrap(array), Math.multiplyExact(index, getExtent()));
    }

    public final <T extends Struct.Data> T getData(ByteBuffer buffer) throws MPIException {
        return getData(buffer, 0);
    }

    public final <T extends Struct.Data> T getData(ByteBuffer buffer, int index) throws MPIException {
        return view(buffer.duplicate().clear(), Math.multiplyExact(index, getExtent()));
    }

    /// Returns a view of an element. The compiler infers `T`, the class of the program's views, from the
    /// program's call.
    @SuppressWarnings("unchecked")
    private <T extends Struct.Data> T view(ByteBuffer all, int offset) {
        Struct.Data data = newData();
        data.buffer = all.order(ByteOrder.nativeOrder());
        data.offset = offset;
        return (T) data;
    }

    /// A view of an element. In the methods, `field` is the offset of a field from the start of the element;
    /// for a field with several values, the second argument is the index of a value.
    public abstract class Data {
        private ByteBuffer buffer;
        private int offset;

        public Data() {}

        public final ByteBuffer getBuffer() {
            return part(0, extent);
        }

        protected final ByteBuffer getBuffer(Datatype of, int field) {
            return part(field, of.extentBytes());
        }

        protected final ByteBuffer getBuffer(Datatype of, int field, int index) throws MPIException {
            return part(field + index * of.extentBytes(), of.extentBytes());
        }

        private ByteBuffer part(int from, int bytes) {
            return buffer.slice(offset + from, bytes).order(ByteOrder.nativeOrder());
        }

        protected final <S extends Struct, D extends Struct.Data> D getData(S struct, int field) {
            return getData(struct, field, 0);
        }

        protected final <S extends Struct, D extends Struct.Data> D getData(S struct, int field, int index) {
            Struct inner = struct;
            return inner.view(buffer.duplicate(), offset + field + index * inner.extent);
        }

        protected final byte getByte(int field) {
            return buffer.get(offset + field);
        }

        protected final byte getByte(int field, int index) {
            return buffer.get(offset + field + index);
        }

        protected final void putByte(int field, byte v) {
            buffer.put(offset + field, v);
        }

        protected final void putByte(int field, int index, byte v) {
            buffer.put(offset + field + index, v);
        }

        protected final char getChar(int field) {
            return buffer.getChar(offset + field);
        }

        protected final char getChar(int field, int index) {
            return buffer.getChar(offset + field + 2 * index);
        }

        protected final void putChar(int field, char v) {
            buffer.putChar(offset + field, v);
        }

        protected final void putChar(int field, int index, char v) {
            buffer.putChar(offset + field + 2 * index, v);
        }

        protected final double getDouble(int field) {
            return buffer.getDouble(offset + field);
        }

        protected final double getDouble(int field, int index) {
            return buffer.getDouble(offset + field + 8 * index);
        }

        protected final void putDouble(int field, double v) {
            buffer.putDouble(offset + field, v);
        }

        protected final void putDouble(int field, int index, double v) {
            buffer.putDouble(offset + field + 8 * index, v);
        }

        protected final float getFloat(int field) {
            return buffer.getFloat(offset + field);
        }

        protected final float getFloat(int field, int index) {
            return buffer.getFloat(offset + field + 4 * index);
        }

        protected final void putFloat(int field, float v) {
            buffer.putFloat(offset + field, v);
        }

        protected final void putFloat(int field, int index, float v) {
            buffer.putFloat(offset + field + 4 * index, v);
        }

        protected final int getInt(int field) {
            return buffer.getInt(offset + field);
        }

        protected final int getInt(int field, int index) {
            return buffer.getInt(offset + field + 4 * index);
        }

        protected final void putInt(int field, int v) {
            buffer.putInt(offset + field, v);
        }

        protected final void putInt(int field, int index, int v) {
            buffer.putInt(offset + field + 4 * index, v);
        }

        protected final long getLong(int field) {
            return buffer.getLong(offset + field);
        }

        protected final long getLong(int field, int index) {
            return buffer.getLong(offset + field + 8 * index);
        }

        protected final void putLong(int field, long v) {
            buffer.putLong(offset + field, v);
        }

        protected final void putLong(int field, int index, long v) {
            buffer.putLong(offset + field + 8 * index, v);
        }

        protected final short getShort(int field) {
            return buffer.getShort(offset + field);
        }

        protected final short getShort(int field, int index) {
            return buffer.getShort(offset + field + 2 * index);
        }

        protected final void putShort(int field, short v) {
            buffer.putShort(offset + field, v);
        }

        protected final void putShort(int field, int index, short v) {
            buffer.putShort(offset + field + 2 * index, v);
        }
    }
}
