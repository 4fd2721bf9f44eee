package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.operation;
import static org.tutti.libmpi.raw.Operations.MPI_Op_create;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.CustomOp;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.PredefinedOp;

/// An operation that is computed in Java, as the library calls it: a user's, or one that libraries get wrong.
///
/// Each call has one of its own until it is complete, so that what a function throws is known to be that
/// call's; then it is kept for the next call with the same name, commutativity, function and type. None is
/// ever freed, so a program should not make a new function for every call.
final class NativeOp {
    private record Key(Op op, Datatype type) {}

    private static final Map<Key, ArrayDeque<NativeOp>> IDLE = new HashMap<>();
    private static final long[] PREDEFINED = new long[PredefinedOp.values().length];
    private static final MethodHandle CALL;

    static {
        for (PredefinedOp op : PredefinedOp.values()) PREDEFINED[op.ordinal()] = operation(op.name());
        try {
            MethodType type = MethodType.methodType(
                    void.class, MemorySegment.class, MemorySegment.class, MemorySegment.class, MemorySegment.class);
            CALL = MethodHandles.lookup().findVirtual(NativeOp.class, "call", type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long handle;
    private final Key key;
    private volatile @Nullable Throwable failure;

    private NativeOp(Key key) {
        this.key = key;
        try (Arena arena = Arena.ofConfined()) {
            FunctionDescriptor signature =
                    FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS.withTargetLayout(JAVA_INT), ADDRESS);
            MemorySegment stub = Linker.nativeLinker().upcallStub(CALL.bindTo(this), signature, Arena.global());
            MemorySegment out = arena.allocate(8, 8);
            int rc = MPI_Op_create(stub, key.op.isCommutative() ? 1 : 0, out);
            if (rc != 0) throw Errors.of(rc, "operation " + key.op.name(), null);
            handle = ABI.readHandle(out);
        }
    }

    /// The operation to be made in Java, to be given back when the call is complete; null if the library's own
    /// will do.
    static @Nullable NativeOp take(Op op, Datatype type) {
        if (op instanceof PredefinedOp predefined && !isWrong(predefined, type)) return null;
        Key key = new Key(op, type);
        synchronized (IDLE) {
            ArrayDeque<NativeOp> idle = IDLE.computeIfAbsent(key, k -> new ArrayDeque<>());
            NativeOp kept = idle.pollLast();
            if (kept != null) return kept;
        }
        return new NativeOp(key);
    }

    void give() {
        failure = null;
        synchronized (IDLE) {
            IDLE.computeIfAbsent(key, k -> new ArrayDeque<>()).addLast(this);
        }
    }

    /// Open MPI 4.1 saturates when it adds 8 and 16 bits with AVX; MPICH 4.0 compares unsigned ones as if
    /// signed.
    private static boolean isWrong(PredefinedOp op, Datatype type) {
        return type.bytes() <= Short.BYTES
                && (op == PredefinedOp.SUM || op == PredefinedOp.MIN || op == PredefinedOp.MAX);
    }

    /// The library's own operation.
    static long handle(PredefinedOp op) {
        return PREDEFINED[op.ordinal()];
    }

    /// What the function has thrown in this call, if anything.
    @Nullable
    Throwable failure() {
        return failure;
    }

    /// `void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)`. An exception
    /// that left it would end the JVM, so it is kept for the caller of the collective.
    @SuppressWarnings("unused") // by CALL
    private void call(MemorySegment in, MemorySegment inout, MemorySegment length, MemorySegment datatype) {
        try {
            long count = length.get(JAVA_INT, 0);
            long bytes = count * key.type.bytes();
            key.op.apply(key.type, in.reinterpret(bytes), 0, inout.reinterpret(bytes), 0, count);
        } catch (Throwable t) {
            if (failure == null) failure = t;
        }
    }
}
