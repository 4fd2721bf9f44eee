package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.MPI_NO_OP;
import static org.tutti.libmpi.raw.Constants.MPI_REPLACE;
import static org.tutti.libmpi.raw.Constants.operation;
import static org.tutti.libmpi.raw.OperationFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.CustomReduction;
import org.tutti.spi.reduce.OrderedReduction;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.reduce.WindowReduction;
import org.tutti.spi.type.ElementType;

/// An `MPI_Op` computed in Java: a user's operation, or a predefined operation that some libraries
/// compute incorrectly.
///
/// Until a call with a user's operation is complete, no other call uses the same `MPI_Op`, so that an exception
/// of the function can be attributed to the call. The operation is then retained for later calls with the same
/// name, commutativity, function and type, until [#KEPT] newer operations have been used.
final class NativeOp {
    private static final int KEPT = 100;

    /// Idle operations; the key is the reduction, and the least recently used reduction is first.
    private static final LinkedHashMap<CustomReduction, ArrayDeque<NativeOp>> IDLE =
            new LinkedHashMap<>(16, 0.75f, true);

    private static final NativeOp[][] CORRECTED =
            new NativeOp[PredefinedReduction.values().length][ElementType.INT_INT.code() + 1];
    private static final long[] PREDEFINED = new long[PredefinedReduction.values().length];
    private static final MethodHandle CALL;

    static {
        for (PredefinedReduction op : PredefinedReduction.values()) PREDEFINED[op.ordinal()] = operation(op.name());
        try {
            MethodType type = MethodType.methodType(
                    void.class, MemorySegment.class, MemorySegment.class, MemorySegment.class, MemorySegment.class);
            CALL = MethodHandles.lookup().findVirtual(NativeOp.class, "call", type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long handle;
    private final Reduction op;
    private final ElementType type;
    private final Arena arena = Arena.ofShared();
    private volatile @Nullable Throwable failure;

    private NativeOp(Reduction op, ElementType type) {
        this.op = op;
        this.type = type;
        FunctionDescriptor signature =
                FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS.withTargetLayout(JAVA_INT), ADDRESS);
        MemorySegment stub = Linker.nativeLinker().upcallStub(CALL.bindTo(this), signature, arena);
        MemorySegment out = arena.allocate(8, 8);
        int rc = MPI_Op_create(stub, op.isCommutative() ? 1 : 0, out);
        if (rc != 0) throw Errors.of(rc, "operation " + op.name(), null);
        handle = ABI.readHandle(out);
    }

    /// Returns the Java operation, to be given back when the call is complete; null if the library's operation
    /// is correct.
    static @Nullable NativeOp take(Reduction op, ElementType type) {
        return switch (op) {
            case PredefinedReduction predefined -> isWrong(predefined, type) ? corrected(predefined, type) : null;
            case WindowReduction ofWindows -> throw new IllegalStateException(ofWindows + " is only for windows");
            case OrderedReduction ordered ->
                throw new IllegalStateException(ordered.name() + " is not an operation of the library");
            case CustomReduction custom -> {
                NativeOp kept = kept(custom);
                yield kept != null ? kept : new NativeOp(custom, custom.type());
            }
        };
    }

    /// Returns the Java version of a predefined operation. All calls share one object, because these operations
    /// throw no exceptions.
    private static NativeOp corrected(PredefinedReduction op, ElementType type) {
        synchronized (CORRECTED) {
            NativeOp made = CORRECTED[op.ordinal()][type.code()];
            if (made == null) CORRECTED[op.ordinal()][type.code()] = made = new NativeOp(op, type);
            return made;
        }
    }

    private static @Nullable NativeOp kept(CustomReduction op) {
        synchronized (IDLE) {
            ArrayDeque<NativeOp> idle = IDLE.get(op);
            return idle == null ? null : idle.pollLast();
        }
    }

    /// Releases the operation after the call is complete.
    void give() {
        if (!(op instanceof CustomReduction custom)) return;
        failure = null;
        synchronized (IDLE) {
            ArrayDeque<NativeOp> idle = IDLE.get(custom);
            if (idle == null) IDLE.put(custom, idle = new ArrayDeque<>(2));
            idle.addLast(this);
            if (IDLE.size() > KEPT)
                Objects.requireNonNull(IDLE.pollFirstEntry()).getValue().forEach(NativeOp::free);
        }
    }

    private void free() {
        MemorySegment at = arena.allocate(8, 8);
        ABI.writeHandle(at, handle);
        int rc = MPI_Op_free(at);
        if (rc != 0) throw Errors.of(rc, "operation " + op.name(), null);
        arena.close();
    }

    /// Returns whether some libraries compute incorrect results for this operation and type: with AVX, Open MPI
    /// 4.1 saturates sums of 8 and 16 bits; MPICH 4.0 compares unsigned values as signed.
    private static boolean isWrong(PredefinedReduction op, ElementType type) {
        return type.bytes() <= Short.BYTES
                && (op == PredefinedReduction.SUM || op == PredefinedReduction.MIN || op == PredefinedReduction.MAX);
    }

    /// Returns the library's operation.
    static long handle(PredefinedReduction op) {
        return PREDEFINED[op.ordinal()];
    }

    /// Returns the library's operation for an accumulate.
    static long ofAccumulate(Reduction op) {
        return switch (op) {
            case PredefinedReduction predefined -> handle(predefined);
            case WindowReduction windows -> windows == WindowReduction.REPLACE ? MPI_REPLACE : MPI_NO_OP;
            case OrderedReduction _, CustomReduction _ ->
                throw new IllegalStateException(op.name() + " is not supported by windows");
        };
    }

    /// Returns the exception that the function has thrown in this call, or null.
    @Nullable
    Throwable failure() {
        return failure;
    }

    /// `void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)`. An exception
    /// that left this method would end the JVM, so the exception is stored for the caller of the collective
    /// operation.
    @SuppressWarnings("unused") // called through CALL
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
