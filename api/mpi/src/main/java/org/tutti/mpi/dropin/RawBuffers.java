package org.tutti.mpi.dropin;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.internal.DropInBridge;

/// Describes the data of a call, of whatever class it is, as bytes.
public final class RawBuffers {
    private RawBuffers() {}

    /// Describes `count` elements of `bytes`, a type that consists of bytes alone, the first one `offset`
    /// bytes into the array. Of `boolean[]`, which is copied on the way, each element is a byte.
    ///
    /// @param array of primitives
    /// @throws org.tutti.mpi.MpiException `ERR_BUFFER` when something lies outside of the array
    public static Buf bytes(Object array, long offset, long count, Datatype bytes) {
        if (array instanceof boolean[] a) return (Buf) DropInBridge.get().booleans(a, offset, count, bytes);
        return bytes(segment(array), offset, count, bytes);
    }

    /// As [#bytes(Object, long, long, Datatype)].
    public static Buf bytes(MemorySegment memory, long offset, long count, Datatype bytes) {
        return bytes == Datatype.BYTE ? Buf.buf(memory.asSlice(offset, count)) : Buf.buf(memory, offset, count, bytes);
    }

    /// All of an array of a primitive type other than `boolean`.
    ///
    /// @throws IllegalArgumentException when it is none
    public static MemorySegment segment(Object array) {
        return switch (array) {
            case byte[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case float[] a -> MemorySegment.ofArray(a);
            case char[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            default ->
                throw new IllegalArgumentException(
                        "no array of a primitive type: " + array.getClass().getTypeName());
        };
    }

    /// All of a NIO buffer, from its address on, whatever its position and limit are.
    public static MemorySegment whole(Buffer b) {
        return MemorySegment.ofBuffer(b.duplicate().clear());
    }

    /// The memory that a buffer is a slice of, if it can be found: the array of a buffer on the heap, or the
    /// allocation of a buffer of [JobBuffers]; otherwise the buffer itself.
    public static MemorySegment enclosing(Buffer b) {
        if (b.hasArray()) return segment(b.array());
        MemorySegment part = whole(b);
        MemorySegment found = b.isDirect() ? JobBuffers.enclosing(part) : null;
        return found == null ? part : found;
    }

    /// The offset of a buffer's memory in what [#enclosing] returns.
    public static long offset(Buffer b, MemorySegment part, MemorySegment enclosing) {
        if (b.hasArray()) return (long) b.arrayOffset() * elementBytes(b);
        return part.address() - enclosing.address();
    }

    /// The bytes of one element of an array or a NIO buffer; 0 for anything else.
    public static int elementBytes(Object data) {
        return switch (data) {
            case byte[] a -> 1;
            case boolean[] a -> 1;
            case char[] a -> 2;
            case short[] a -> 2;
            case int[] a -> 4;
            case float[] a -> 4;
            case long[] a -> 8;
            case double[] a -> 8;
            case ByteBuffer b -> 1;
            case CharBuffer b -> 2;
            case ShortBuffer b -> 2;
            case IntBuffer b -> 4;
            case FloatBuffer b -> 4;
            case LongBuffer b -> 8;
            case DoubleBuffer b -> 8;
            default -> 0;
        };
    }
}
