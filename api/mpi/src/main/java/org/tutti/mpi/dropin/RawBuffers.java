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

/// Describes the data of a call as bytes, regardless of the data's class.
public final class RawBuffers {
    private RawBuffers() {}

    /// Describes `count` elements of `bytes`, a type that consists only of bytes, starting at byte `offset` of
    /// the array. A `boolean[]` is copied, with one byte per element.
    ///
    /// @param array an array of primitives
    /// @throws org.tutti.mpi.MpiException `ERR_BUFFER` if the range exceeds the array
    public static Buf bytes(Object array, long offset, long count, Datatype bytes) {
        if (array instanceof boolean[] a) return (Buf) DropInBridge.get().booleans(a, offset, count, bytes);
        return bytes(segment(array), offset, count, bytes);
    }

    /// Like [#bytes(Object, long, long, Datatype)], for a memory segment.
    public static Buf bytes(MemorySegment memory, long offset, long count, Datatype bytes) {
        return bytes == Datatype.BYTE ? Buf.buf(memory.asSlice(offset, count)) : Buf.buf(memory, offset, count, bytes);
    }

    /// Returns the memory of a whole array of a primitive type other than `boolean`.
    ///
    /// @throws IllegalArgumentException if `array` is not such an array
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
                        "not an array of a primitive type: " + array.getClass().getTypeName());
        };
    }

    /// Returns the whole memory of a NIO buffer from index 0, regardless of position and limit.
    public static MemorySegment whole(Buffer b) {
        return MemorySegment.ofBuffer(b.duplicate().clear());
    }

    /// Returns the memory of which a buffer is a slice, if it is known: the array of a heap buffer, or the
    /// memory that [JobBuffers] has allocated. Otherwise returns the memory of the buffer itself.
    public static MemorySegment enclosing(Buffer b) {
        if (b.hasArray()) return segment(b.array());
        MemorySegment part = whole(b);
        MemorySegment found = b.isDirect() ? JobBuffers.enclosing(part) : null;
        return found == null ? part : found;
    }

    /// Returns the offset of a buffer's memory in the result of [#enclosing].
    public static long offset(Buffer b, MemorySegment part, MemorySegment enclosing) {
        if (b.hasArray()) return (long) b.arrayOffset() * elementBytes(b);
        return part.address() - enclosing.address();
    }

    /// Returns the size of an element of an array or a NIO buffer in bytes; 0 for other objects.
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
