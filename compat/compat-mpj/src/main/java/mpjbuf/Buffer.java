package mpjbuf;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.compat.mpj.ObjectBytes;

/// Arrays of several types, one after the other: written, then committed, then read in the same order.
///
///     |  type  |  count  |  count elements …  |  type  |  count  |  …            numbers of 4 bytes, native order
///
/// [#putSectionHeader] begins a section, and [#write] appends to it; [#getSectionHeader] moves to the next
/// section.
public class Buffer {
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    private final RawBuffer raw;
    private final ByteBuffer bytes;

    /// The number of bytes written, and the read position.
    private int size;

    private int position;

    /// The current section; the position of the section's count; the number of remaining elements to read.
    private @Nullable Type section;

    private int countAt;
    private int left;

    /// Creates a buffer of `capacity` bytes.
    public Buffer(int capacity) {
        this(BufferFactory.create(capacity), 0, capacity);
    }

    /// Creates a buffer of `capacity` bytes in this memory, from `offset`.
    public Buffer(RawBuffer memory, int offset, int capacity) {
        ByteBuffer all = memory.memory();
        raw = BufferFactory.view(all.slice(offset, capacity));
        bytes = raw.memory();
    }

    /// Ends writing; the next read starts at the beginning.
    public void commit() throws BufferException {
        position = 0;
        section = null;
    }

    /// Empties the buffer for writing.
    public void clear() throws BufferException {
        size = position = 0;
        section = null;
    }

    /// Has no effect: unreachable memory is freed automatically.
    public void free() {}

    /// Returns the number of bytes written.
    public int getSize() {
        return size;
    }

    /// Sets the number of bytes that the memory contains, to be read from the beginning.
    public void setSize(int bytes) {
        Objects.checkIndex(bytes, getCapacity() + 1);
        size = bytes;
        commit();
    }

    /// Returns the capacity in bytes.
    public int getCapacity() {
        return bytes.capacity();
    }

    /// Returns the memory, from the first byte.
    public RawBuffer getStaticBuffer() {
        return raw;
    }

    /// Begins a section with elements of this type.
    public void putSectionHeader(Type type) throws BufferException {
        room("putSectionHeader", HEADER_BYTES);
        bytes.putInt(size, type.code);
        countAt = size + Integer.BYTES;
        bytes.putInt(countAt, 0);
        size += HEADER_BYTES;
        section = type;
    }

    /// Moves to the next section, and returns the type.
    public Type getSectionHeader() throws BufferException {
        available("getSectionHeader", HEADER_BYTES);
        Type type = Type.of(bytes.getInt(position));
        left = bytes.getInt(position + Integer.BYTES);
        position += HEADER_BYTES;
        section = type;
        return type;
    }

    /// Returns the number of remaining elements in the section.
    public int getSectionSize() throws BufferException {
        return left;
    }

    private void room(String operation, int more) {
        if (more <= getCapacity() - size) return;
        throw new BufferException(
                operation + ": " + more + " bytes do not fit after " + size + " in a capacity of " + getCapacity());
    }

    private void available(String operation, int wanted) {
        if (wanted <= size - position) return;
        throw new BufferException(
                operation + ": " + wanted + " bytes are wanted but " + (size - position) + " are left");
    }

    /// Returns the position for writing `count` elements of the section.
    private int toWrite(Type type, int count) {
        checkSection("write", type);
        int length = Math.multiplyExact(count, type.bytes);
        room("write", length);
        int at = size;
        size += length;
        bytes.putInt(countAt, bytes.getInt(countAt) + count);
        return at;
    }

    /// Returns the position for reading `count` elements of the section.
    private int toRead(Type type, int count) {
        checkSection("read", type);
        if (count > left) {
            throw new BufferException("read: " + count + " elements are wanted but the section has " + left);
        }
        int length = Math.multiplyExact(count, type.bytes);
        available("read", length);
        int at = position;
        position += length;
        left -= count;
        return at;
    }

    private void checkSection(String operation, Type type) {
        if (section == type) return;
        throw new BufferException(operation + ": an array of " + type
                + (section == null
                        ? " but no section was started; call "
                                + (operation.equals("write") ? "putSectionHeader" : "getSectionHeader")
                        : " but the section is of " + section));
    }

    /// Appends `count` elements, from `offset`, to the section; likewise for all methods of this name.
    public void write(byte[] source, int offset, int count) throws BufferException {
        bytes.put(toWrite(Type.BYTE, count), source, offset, count);
    }

    /// Reads `count` elements of the section to `offset`; likewise for all methods of this name.
    public void read(byte[] target, int offset, int count) throws BufferException {
        bytes.get(toRead(Type.BYTE, count), target, offset, count);
    }

    public void write(short[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.SHORT, count)).asShortBuffer().put(source, offset, count);
    }

    public void read(short[] target, int offset, int count) throws BufferException {
        from(toRead(Type.SHORT, count)).asShortBuffer().get(target, offset, count);
    }

    public void write(int[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.INT, count)).asIntBuffer().put(source, offset, count);
    }

    public void read(int[] target, int offset, int count) throws BufferException {
        from(toRead(Type.INT, count)).asIntBuffer().get(target, offset, count);
    }

    public void write(long[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.LONG, count)).asLongBuffer().put(source, offset, count);
    }

    public void read(long[] target, int offset, int count) throws BufferException {
        from(toRead(Type.LONG, count)).asLongBuffer().get(target, offset, count);
    }

    public void write(char[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.CHAR, count)).asCharBuffer().put(source, offset, count);
    }

    public void read(char[] target, int offset, int count) throws BufferException {
        from(toRead(Type.CHAR, count)).asCharBuffer().get(target, offset, count);
    }

    public void write(float[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.FLOAT, count)).asFloatBuffer().put(source, offset, count);
    }

    public void read(float[] target, int offset, int count) throws BufferException {
        from(toRead(Type.FLOAT, count)).asFloatBuffer().get(target, offset, count);
    }

    public void write(double[] source, int offset, int count) throws BufferException {
        from(toWrite(Type.DOUBLE, count)).asDoubleBuffer().put(source, offset, count);
    }

    public void read(double[] target, int offset, int count) throws BufferException {
        from(toRead(Type.DOUBLE, count)).asDoubleBuffer().get(target, offset, count);
    }

    public void write(boolean[] source, int offset, int count) throws BufferException {
        Objects.checkFromIndexSize(offset, count, source.length);
        int at = toWrite(Type.BOOLEAN, count);
        for (int i = 0; i < count; i++) bytes.put(at + i, (byte) (source[offset + i] ? 1 : 0));
    }

    public void read(boolean[] target, int offset, int count) throws BufferException {
        Objects.checkFromIndexSize(offset, count, target.length);
        int at = toRead(Type.BOOLEAN, count);
        for (int i = 0; i < count; i++) target[offset + i] = bytes.get(at + i) != 0;
    }

    /// Like the methods for numbers; each object is written as the length and the bytes of its serialization.
    public void write(Object[] source, int offset, int count) throws BufferException {
        Objects.checkFromIndexSize(offset, count, source.length);
        for (int i = 0; i < count; i++) {
            byte[] object;
            try {
                object = ObjectBytes.of(source, new int[] {offset + i});
            } catch (ObjectBytes.Refused e) {
                throw new BufferException("write: " + e.getMessage(), e);
            }
            room("write", Integer.BYTES + object.length);
            toWrite(Type.OBJECT, 1);
            bytes.putInt(size, object.length);
            bytes.put(size + Integer.BYTES, object);
            size += Integer.BYTES + object.length;
        }
    }

    /// Like the methods for numbers; the classes of objects are checked as in messages.
    public void read(Object[] target, int offset, int count) throws BufferException {
        Objects.checkFromIndexSize(offset, count, target.length);
        for (int i = 0; i < count; i++) {
            toRead(Type.OBJECT, 1);
            available("read", Integer.BYTES);
            byte[] object = new byte[bytes.getInt(position)];
            available("read", Integer.BYTES + object.length);
            bytes.get(position + Integer.BYTES, object);
            position += Integer.BYTES + object.length;
            try {
                ObjectBytes.into(object, target, new int[] {offset + i});
            } catch (ObjectBytes.Refused e) {
                throw new BufferException("read: " + e.getMessage(), e);
            }
        }
    }

    private ByteBuffer from(int at) {
        return bytes.slice(at, bytes.capacity() - at).order(bytes.order());
    }
}
