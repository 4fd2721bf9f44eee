package mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Unpacker;

/// Calls a program's function with blocks of elements: unpacks elements to arrays or bytes with the type's
/// layout, and packs the result.
final class UserKernel implements org.tutti.mpi.Op.Kernel {
    private final UserFunction function;
    private final Datatype type;

    /// The type of packed elements.
    private final org.tutti.mpi.Datatype packed;

    private final boolean takesBytes;

    UserKernel(UserFunction function, Datatype type, org.tutti.mpi.Datatype packed) {
        this.function = function;
        this.type = type;
        this.packed = packed;
        takesBytes = takesBytes(function, type.base() == MPI.BOOLEAN);
    }

    /// Selects the method as in the original: if a class overrides both methods, bytes are used for every type
    /// except `BOOLEAN`; a single overridden method is used for all types.
    private static boolean takesBytes(UserFunction function, boolean isBoolean) {
        boolean bytes = overrides(function, ByteBuffer.class), arrays = overrides(function, Object.class);
        return bytes == arrays ? !isBoolean : bytes;
    }

    private static boolean overrides(UserFunction function, Class<?> data) {
        for (Class<?> c = function.getClass(); c != UserFunction.class; c = c.getSuperclass()) {
            for (Method m : c.getDeclaredMethods()) {
                if (m.getName().equals("call") && m.getParameterCount() == 4 && m.getParameterTypes()[0] == data) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void combine(MemorySegment in, MemorySegment inOut, long count) {
        int elements = Math.toIntExact(packed == org.tutti.mpi.Datatype.BYTE ? count / type.extentBytes() : count);
        byte[] left = laidOut(in, elements);
        byte[] right = laidOut(inOut, elements);
        try {
            if (takesBytes) {
                function.call(bytes(left), bytes(right), elements, type);
            } else {
                Object result = array(right);
                function.call(array(left), result, elements, type);
                store(result, right);
            }
        } catch (MPIException e) {
            throw new IllegalStateException(e);
        }
        if (packed.isPredefined()) {
            MemorySegment.copy(MemorySegment.ofArray(right), 0, inOut, 0, inOut.byteSize());
        } else {
            byte[] result = new Packer().add(placed(right, elements)).toByteArray();
            MemorySegment.copy(MemorySegment.ofArray(result), 0, inOut, 0, result.length);
        }
    }

    private static ByteBuffer bytes(byte[] all) {
        return ByteBuffer.wrap(all).order(ByteOrder.nativeOrder());
    }

    private byte[] laidOut(MemorySegment from, int elements) {
        byte[] all = new byte[Math.multiplyExact(elements, type.extentBytes())];
        if (packed.isPredefined()) MemorySegment.copy(from, 0, MemorySegment.ofArray(all), 0, all.length);
        else if (elements > 0) new Unpacker(from).take(placed(all, elements));
        return all;
    }

    private Buf placed(byte[] all, int elements) {
        return Buf.buf(MemorySegment.ofArray(all), 0, elements, packed);
    }

    /// Returns an array of the base type with these bytes.
    private Object array(byte[] all) {
        MemorySegment s = MemorySegment.ofArray(all);
        Datatype base = type.base();
        if (base == MPI.BOOLEAN) {
            boolean[] values = new boolean[all.length];
            for (int i = 0; i < all.length; i++) values[i] = all[i] != 0;
            return values;
        }
        if (base == MPI.INT) return s.toArray(ValueLayout.JAVA_INT_UNALIGNED);
        if (base == MPI.LONG) return s.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        if (base == MPI.SHORT) return s.toArray(ValueLayout.JAVA_SHORT_UNALIGNED);
        if (base == MPI.CHAR) return s.toArray(ValueLayout.JAVA_CHAR_UNALIGNED);
        if (base == MPI.FLOAT || base == MPI.FLOAT_COMPLEX) return s.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        if (base == MPI.DOUBLE || base == MPI.DOUBLE_COMPLEX) return s.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
        return all;
    }

    private static void store(Object array, byte[] into) {
        if (array instanceof boolean[] values) {
            for (int i = 0; i < into.length; i++) into[i] = (byte) (values[i] ? 1 : 0);
        } else if (array != into) {
            MemorySegment.copy(
                    org.tutti.mpi.dropin.RawBuffers.segment(array), 0, MemorySegment.ofArray(into), 0, into.length);
        }
    }
}
