package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.Operations.MPI_Op_create;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.CustomOp;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.PredefinedOp;

/// An operation that is computed in Java, as the library calls it: a user's, or one that libraries get wrong.
///
/// Made once per name, commutativity, function and type, and never freed: pending collective calls may still
/// use it, and the library may call it from any thread. So a program should not make a new function for every
/// call.
final class NativeOp {
    private record Key(Op op, Datatype type) {}

    private static final ConcurrentHashMap<CustomOp, NativeOp> OF_USERS = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<Key, NativeOp> CORRECTED = new ConcurrentHashMap<>();
    private static final MethodHandle CALL;

    static {
        try {
            MethodType type = MethodType.methodType(
                    void.class, MemorySegment.class, MemorySegment.class, MemorySegment.class, MemorySegment.class);
            CALL = MethodHandles.lookup().findVirtual(NativeOp.class, "call", type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long handle;
    private final Op op;
    private final Datatype type;
    private volatile @Nullable Throwable failure;

    private NativeOp(Op op, Datatype type) {
        this.op = op;
        this.type = type;
        try (Arena arena = Arena.ofConfined()) {
            FunctionDescriptor signature =
                    FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS.withTargetLayout(JAVA_INT), ADDRESS);
            MemorySegment stub = Linker.nativeLinker().upcallStub(CALL.bindTo(this), signature, Arena.global());
            MemorySegment out = arena.allocate(8, 8);
            int rc = MPI_Op_create(stub, op.isCommutative() ? 1 : 0, out);
            if (rc != 0) throw Errors.of(rc, "operation " + op.name(), null);
            handle = ABI.readHandle(out);
        }
    }

    /// The operation to be made in Java; null if the library's own will do.
    static @Nullable NativeOp forJava(Op op, Datatype type) {
        return switch (op) {
            case PredefinedOp predefined -> isWrong(predefined, type) ? corrected(predefined, type) : null;
            case CustomOp custom -> custom(custom);
        };
    }

    private static NativeOp custom(CustomOp op) {
        NativeOp made = OF_USERS.get(op);
        return made == null ? OF_USERS.computeIfAbsent(op, o -> new NativeOp(o, o.type())) : made;
    }

    private static NativeOp corrected(PredefinedOp op, Datatype type) {
        return CORRECTED.computeIfAbsent(new Key(op, type), key -> new NativeOp(key.op, key.type));
    }

    /// Open MPI 4.1 saturates when it adds 8 and 16 bits with AVX; MPICH 4.0 compares unsigned ones as if
    /// signed.
    private static boolean isWrong(PredefinedOp op, Datatype type) {
        return switch (op) {
            case SUM, MIN, MAX -> type.bytes() <= Short.BYTES;
            case PROD, LAND, LOR, LXOR, BAND, BOR, BXOR -> false;
        };
    }

    /// The library's own operation.
    static long handle(PredefinedOp op) {
        return switch (op) {
            case SUM -> MPI_SUM;
            case PROD -> MPI_PROD;
            case MIN -> MPI_MIN;
            case MAX -> MPI_MAX;
            case LAND -> MPI_LAND;
            case LOR -> MPI_LOR;
            case LXOR -> MPI_LXOR;
            case BAND -> MPI_BAND;
            case BOR -> MPI_BOR;
            case BXOR -> MPI_BXOR;
        };
    }

    /// What the function has thrown since the last call of this, if anything.
    @Nullable
    Throwable takeFailure() {
        Throwable thrown = failure;
        if (thrown != null) failure = null;
        return thrown;
    }

    /// `void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)`. An exception
    /// that left it would end the JVM, so it is kept for the caller of the collective.
    @SuppressWarnings("unused") // by CALL
    private void call(MemorySegment in, MemorySegment inout, MemorySegment length, MemorySegment datatype) {
        try {
            long count = length.get(JAVA_INT, 0);
            long bytes = count * type.bytes();
            op.apply(type, in.reinterpret(bytes), 0, inout.reinterpret(bytes), 0, count);
        } catch (Throwable t) {
            if (failure == null) failure = t;
        }
    }
}
