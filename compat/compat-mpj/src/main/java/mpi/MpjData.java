package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;
import org.tutti.mpi.dropin.LastBuffer;
import org.tutti.mpi.dropin.RawBuffers;

/// Describes the data of a call to Tutti. `offset` counts elements of the array, `count` elements of the type.
final class MpjData {
    private static final ThreadLocal<LastBuffer> SENT = ThreadLocal.withInitial(LastBuffer::new);
    private static final ThreadLocal<LastBuffer> RECEIVED = ThreadLocal.withInitial(LastBuffer::new);

    private MpjData() {}

    /// Returns the data to be sent, without a copy.
    static Buf toSend(String operation, Object data, int offset, int count, Datatype type) {
        return last(SENT.get(), operation, data, offset, count, type);
    }

    /// Returns the receive buffer, without a copy. Afterwards [#received] must be called with the received
    /// length.
    static Buf toReceive(String operation, Object data, int offset, int count, Datatype type) {
        if (data instanceof mpjbuf.Buffer b) return packed(operation, b, offset, count, b.getCapacity(), type);
        return last(RECEIVED.get(), operation, data, offset, count, type);
    }

    private static Buf last(LastBuffer last, String operation, Object data, int offset, int count, Datatype type) {
        if (data instanceof mpjbuf.Buffer b) return packed(operation, b, offset, count, b.getSize(), type);
        Buf known = last.find(data, offset, count, type);
        return known != null ? known : last.keep(data, offset, count, type, of(operation, data, offset, count, type));
    }

    /// Returns the description of an array, without a copy.
    static Buf of(String operation, Object data, int offset, int count, Datatype type) {
        check(operation, data, count, type);
        if (type.isObject()) throw new MPIException(operation + ": one buffer is of objects and the other one is not");
        try {
            return type.isBasic() ? basic(data, offset, count) : derived(data, offset, count, type.layout);
        } catch (MpiException e) {
            throw MPIException.of(operation + ": " + e.getMessage(), e);
        }
    }

    /// Returns whether a call with this type transfers objects.
    static boolean isObject(String operation, @Nullable Datatype type) {
        if (type != null) return type.isObject();
        throw new MPIException(operation + ": the type is null");
    }

    static void check(String operation, @Nullable Object data, int count, Datatype type) {
        if (isObject(operation, type) && data instanceof Object[] && count >= 0) return;
        if (!type.element.isData()) throw new MPIException(operation + ": " + type.text() + " is not a data type");
        if (count < 0) throw new MPIException(operation + ": count=" + count + " is negative");
        if (data != null && type.element.isArray(data)) return;
        throw new MPIException(operation + ": the buffer is "
                + (data == null ? "null" : "a " + data.getClass().getTypeName()) + " but " + type.text() + " is for "
                + type.element.buffer());
    }

    private static Buf basic(Object data, int offset, int count) {
        return switch (data) {
            case int[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case double[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case byte[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case long[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case float[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case char[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case short[] a -> offset == 0 && count == a.length ? Buf.buf(a) : Buf.buf(a, offset, count);
            case boolean[] a -> Buf.buf(a, offset, count);
            default -> throw new AssertionError(data);
        };
    }

    private static Buf derived(Object data, int offset, int count, org.tutti.mpi.Datatype layout) {
        return switch (data) {
            case int[] a -> Buf.buf(a, offset, count, layout);
            case double[] a -> Buf.buf(a, offset, count, layout);
            case byte[] a -> Buf.buf(a, offset, count, layout);
            case long[] a -> Buf.buf(a, offset, count, layout);
            case float[] a -> Buf.buf(a, offset, count, layout);
            case char[] a -> Buf.buf(a, offset, count, layout);
            case short[] a -> Buf.buf(a, offset, count, layout);
            default -> RawBuffers.bytes(data, offset, count, layout);
        };
    }

    private static Buf packed(String operation, mpjbuf.Buffer b, int offset, int count, int bytes, Datatype type) {
        check(operation, b, count, type);
        if (offset < 0 || offset > bytes - count) {
            throw new MPIException(operation + ": offset=" + offset + ", count=" + count + " are not within the "
                    + bytes + " bytes of the mpjbuf.Buffer");
        }
        MemorySegment memory = MemorySegment.ofBuffer(b.getStaticBuffer().memory());
        return Buf.buf(memory.asSlice(offset, count), org.tutti.mpi.Datatype.PACKED);
    }

    /// Sets the size of an [mpjbuf.Buffer] into which a message was received. `bytes` is the length of the
    /// message; 0 if the source was PROC_NULL.
    static void received(Object data, int offset, long bytes) {
        if (data instanceof mpjbuf.Buffer b) b.setSize(offset + Math.toIntExact(bytes));
    }

    /// Returns a copy of the data to be sent, so that the program may change the array immediately.
    static Buf copied(String operation, Object data, int offset, int count, Datatype type) {
        check(operation, data, count, type);
        boolean known = !(data instanceof mpjbuf.Buffer) && type.isBasic();
        if (!known) return dense(packer(toSend(operation, data, offset, count, type)), type.element);
        if (offset < 0 || offset > length(data) - count)
            return of(operation, data, offset, count, type); // throws an exception with the reason
        Object copy = part(data, offset, count);
        return of(operation, copy, 0, count, type);
    }

    /// As [#toSend], for a call that receives into `target` at the same time: if `data` is the same array,
    /// returns a copy.
    static Buf toSendBeforeReceiveInto(
            Object target, String operation, Object data, int offset, int count, Datatype type) {
        if (data != target || data instanceof mpjbuf.Buffer) return toSend(operation, data, offset, count, type);
        check(operation, data, count, type);
        return of(operation, apart(target, data), offset, count, type);
    }

    /// Returns the array to be sent; a copy if it is also `target`, into which the call receives.
    static Object apart(@Nullable Object target, Object data) {
        return data != null && data == target && data.getClass().isArray() ? part(data, 0, length(data)) : data;
    }

    static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }

    private static Object part(Object array, int offset, int count) {
        int end = offset + count;
        return switch (array) {
            case int[] a -> Arrays.copyOfRange(a, offset, end);
            case double[] a -> Arrays.copyOfRange(a, offset, end);
            case byte[] a -> Arrays.copyOfRange(a, offset, end);
            case long[] a -> Arrays.copyOfRange(a, offset, end);
            case float[] a -> Arrays.copyOfRange(a, offset, end);
            case char[] a -> Arrays.copyOfRange(a, offset, end);
            case short[] a -> Arrays.copyOfRange(a, offset, end);
            case boolean[] a -> Arrays.copyOfRange(a, offset, end);
            case Object[] a -> Arrays.copyOfRange(a, offset, end);
            default -> throw new AssertionError(array);
        };
    }

    private static Packer packer(Buf data) {
        return new Packer().add(data);
    }

    /// Returns packed data as elements of the type.
    private static Buf dense(Packer packed, MpjElement element) {
        return dense(packed.toByteArray(), element);
    }

    static Buf dense(byte[] packed, MpjElement element) {
        return Buf.buf(MemorySegment.ofArray(packed), element.type);
    }

    /// Returns the elements of `data` as an array without gaps.
    static Object packedArray(Buf data, MpjElement element) {
        byte[] bytes = packer(data).toByteArray();
        Object array = element.newArray(bytes.length / element.bytes);
        unpack(MemorySegment.ofArray(bytes), basic(array, 0, length(array)));
        return array;
    }

    static void unpack(MemorySegment from, Buf into) {
        new org.tutti.mpi.Unpacker(from).take(into);
    }

    static void unpack(ByteBuffer from, Buf into) {
        unpack(MemorySegment.ofBuffer(from), into);
    }
}
