package mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Packer;

/// An operation of a reduction: one of the constants in [MPI], or a function of the program.
public class Op {
    private enum Kind {
        /// An operation of Tutti.
        TUTTIS,
        /// For pairs of a value and an index. If values are equal, the pair with the smaller index is the
        /// result.
        MINLOC,
        MAXLOC,
        /// A function of the program.
        USERS
    }

    public int opCode;

    private final Kind kind;
    private final org.tutti.mpi.@Nullable Op tuttis;
    private final @Nullable User_function function;
    private final boolean commute;

    /// Tutti's operation for the datatype of the last call.
    private volatile @Nullable ForType last;

    private record ForType(Datatype type, org.tutti.mpi.Op op) {}

    /// Creates an operation from a function. Unless `commute` is true, operands are combined in rank order.
    public Op(User_function function, boolean commute) throws MPIException {
        this(0, Kind.USERS, null, function, commute);
        if (function == null) throw new MPIException("Op: the function is null");
    }

    private Op(
            int opCode,
            Kind kind,
            org.tutti.mpi.@Nullable Op tuttis,
            @Nullable User_function function,
            boolean commute) {
        this.opCode = opCode;
        this.kind = kind;
        this.tuttis = tuttis;
        this.function = function;
        this.commute = commute;
    }

    static Op of(int opCode, org.tutti.mpi.Op tuttis) {
        return new Op(opCode, Kind.TUTTIS, tuttis, null, true);
    }

    static Op minloc(int opCode) {
        return new Op(opCode, Kind.MINLOC, null, null, true);
    }

    static Op maxloc(int opCode) {
        return new Op(opCode, Kind.MAXLOC, null, null, true);
    }

    /// Has no effect.
    public void free() throws MPIException {}

    /// Returns the program's function. Throws for a constant of [MPI], because Tutti's operations do not support
    /// objects.
    User_function function(String operation) {
        if (function != null) return function;
        throw new MPIException(operation + ": objects are combined by a User_function of the program's, not by MPI."
                + (tuttis == null ? kind : tuttis.name()));
    }

    /// Returns Tutti's operation for elements of `type`.
    org.tutti.mpi.Op forType(String operation, Datatype type) {
        if (tuttis != null) return tuttis;
        ForType known = last;
        if (known != null && known.type == type) return known.op;
        org.tutti.mpi.Op made = made(operation, type);
        last = new ForType(type, made);
        return made;
    }

    private org.tutti.mpi.Op made(String operation, Datatype type) {
        if (kind != Kind.USERS) {
            checkPairs(operation, type);
            int sign = kind == Kind.MAXLOC ? 1 : -1;
            int pairs = type.Size() / 2;
            return org.tutti.mpi.Op.of(
                            kind.name(),
                            type.layout,
                            (in, inout, n) -> locate(in, inout, n * pairs, type.element, sign))
                    .commutative();
        }
        User_function users = function(operation);
        org.tutti.mpi.Op own = org.tutti.mpi.Op.of(
                users.getClass().getName(), type.layout, (in, inout, n) -> call(users, in, inout, (int) n, type));
        return commute ? own.commutative() : own;
    }

    private void checkPairs(String operation, Datatype type) {
        boolean number = switch (type.element) {
            case SHORT, INT, LONG, FLOAT, DOUBLE -> true;
            default -> false;
        };
        if (number && type.Size() > 0 && type.Size() % 2 == 0) return;
        throw new MPIException(
                operation + ": MPI." + kind + " is for pairs, of MPI.INT2 and the like, not of " + type.text());
    }

    private static void locate(MemorySegment in, MemorySegment inout, long pairs, MpjElement element, int sign) {
        int bytes = element.bytes;
        for (long i = 0; i < pairs; i++) {
            long value = i * 2 * bytes;
            int better = sign * compare(element, in, inout, value);
            if (better == 0) better = -compare(element, in, inout, value + bytes);
            if (better > 0) MemorySegment.copy(in, value, inout, value, 2L * bytes);
        }
    }

    private static int compare(MpjElement element, MemorySegment a, MemorySegment b, long at) {
        return switch (element) {
            case SHORT -> Short.compare(a.get(JAVA_SHORT_UNALIGNED, at), b.get(JAVA_SHORT_UNALIGNED, at));
            case INT -> Integer.compare(a.get(JAVA_INT_UNALIGNED, at), b.get(JAVA_INT_UNALIGNED, at));
            case LONG -> Long.compare(a.get(JAVA_LONG_UNALIGNED, at), b.get(JAVA_LONG_UNALIGNED, at));
            case FLOAT -> Float.compare(a.get(JAVA_FLOAT_UNALIGNED, at), b.get(JAVA_FLOAT_UNALIGNED, at));
            case DOUBLE -> Double.compare(a.get(JAVA_DOUBLE_UNALIGNED, at), b.get(JAVA_DOUBLE_UNALIGNED, at));
            default -> throw new AssertionError(element);
        };
    }

    /// Calls the function with arrays in the layout of the type.
    private static void call(User_function f, MemorySegment in, MemorySegment inout, int count, Datatype type) {
        int from = type.origin();
        Object left = type.element.newArray(type.span(count));
        Object right = type.element.newArray(type.span(count));
        Buf result = MpjData.of("reduce", right, from, count, type);
        MpjData.unpack(in, MpjData.of("reduce", left, from, count, type));
        MpjData.unpack(inout, result);
        f.Call(left, from, right, from, count, type);
        byte[] packed = new Packer().add(result).toByteArray();
        MemorySegment.copy(MemorySegment.ofArray(packed), 0, inout, 0, packed.length);
    }
}
