package mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.compat.mpj.ObjectBytes;

/// Converts elements of [MPI#OBJECT], or of a type derived from it, to the bytes that are sent.
final class MpjObjects {
    private MpjObjects() {}

    static byte[] bytes(String operation, Object data, int offset, int count, Datatype type) {
        return bytes(operation, data, places(operation, data, offset, count, type));
    }

    private static byte[] bytes(String operation, Object data, int[] places) {
        try {
            return ObjectBytes.of((Object[]) data, places);
        } catch (ObjectBytes.Refused e) {
            throw MPIException.of(operation + ": " + e.getMessage(), e);
        }
    }

    /// Stores the objects of a message in the array, and returns their number; 0 if `bytes` is null.
    static int put(String operation, byte @Nullable [] bytes, Object data, int offset, int count, Datatype type) {
        if (bytes == null) return 0;
        try {
            return ObjectBytes.into(bytes, (Object[]) data, places(operation, data, offset, count, type));
        } catch (ObjectBytes.Refused e) {
            throw MPIException.of(operation + ": " + e.getMessage(), e);
        }
    }

    private static int[] places(String operation, Object data, int offset, int count, Datatype type) {
        MpjData.check(operation, data, count, type);
        try {
            return type.places(((Object[]) data).length, offset, count);
        } catch (org.tutti.mpi.MpiException e) {
            throw MPIException.of(operation + ": " + e.getMessage(), e);
        }
    }

    /// Combines the objects of two messages by a program's function, and returns the result as a message. The
    /// objects in `left` are from lower ranks.
    static byte[] combine(User_function function, byte[] left, byte[] right, int count, Datatype type) {
        int from = type.origin();
        Object[] in = new Object[type.span(count)];
        Object[] inout = new Object[in.length];
        put("reduce", left, in, from, count, type);
        put("reduce", right, inout, from, count, type);
        function.Call(in, from, inout, from, count, type);
        return bytes("reduce", inout, from, count, type);
    }
}
