package mpi;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.mpi.MpiException;

/// An operation of a reduction. An `Op` has no type, unlike an operation of Tutti. For a function of the program,
/// an operation of Tutti is therefore created for each type with which the `Op` is used.
public final class Op implements Freeable {
    /// Null for a function of the program.
    private final org.tutti.mpi.Op predefined;

    private final UserFunction function;
    private final boolean commutative;
    private final Map<Datatype, org.tutti.mpi.Op> byType = new ConcurrentHashMap<>();
    private boolean freed;

    Op(org.tutti.mpi.Op predefined) {
        this.predefined = predefined;
        function = null;
        commutative = true;
    }

    public Op(UserFunction function, boolean commute) {
        this.function = function;
        commutative = commute;
        predefined = null;
    }

    /// Returns Tutti's operation for elements of a type.
    org.tutti.mpi.Op of(Datatype type) {
        if (freed) throw new Mistake(MPI.ERR_OP, "MPI_ERR_OP: the operation was freed");
        if (predefined != null) {
            org.tutti.mpi.Op unsigned = UnsignedOps.find(predefined, type);
            return unsigned == null ? predefined : unsigned;
        }
        org.tutti.mpi.Op known = byType.get(type);
        return known != null ? known : byType.computeIfAbsent(type, this::make);
    }

    private org.tutti.mpi.Op make(Datatype type) {
        org.tutti.mpi.Datatype of = type.reduced != null ? type.reduced : type.bytes;
        org.tutti.mpi.Op made =
                org.tutti.mpi.Op.of(function.getClass().getName(), of, new UserKernel(function, type, of));
        return commutative ? made.commutative() : made;
    }

    /// Returns the operation for accumulates of windows.
    org.tutti.mpi.Op forWindows() {
        if (predefined != null) return predefined;
        throw new Mistake(MPI.ERR_OP, "MPI_ERR_OP: an accumulate supports only predefined operations");
    }

    public boolean isCommutative() {
        return commutative;
    }

    /// Returns true after [#free], and for an operation of the program until it is used.
    public boolean isNull() {
        return freed || predefined == null && byType.isEmpty();
    }

    @Override
    public void free() throws MPIException {
        if (predefined != null) throw Failures.of(MPI.ERR_OP, "MPI_ERR_OP: " + predefined + " is predefined");
        freed = true;
        byType.clear();
    }

    /// Combines two buffers on this rank only.
    static void local(Object in, Object inOut, int count, Datatype type, Op op) throws MPIException {
        try {
            op.of(type).reduceLocal(Data.operand(in, count, type), Data.operand(inOut, count, type));
        } catch (MpiException | Mistake e) {
            throw Failures.of(e);
        }
    }
}
