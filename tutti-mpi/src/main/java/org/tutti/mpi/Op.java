package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/// What a reduction does with two elements. Ranks of one call pass operations of the same name.
///
/// | operation | types |
/// |---|---|
/// | `SUM PROD` | all numbers, `CHAR` as an unsigned number |
/// | `MIN MAX` | the same |
/// | `LAND LOR LXOR` | `BOOLEAN` and whole numbers; the result is 0 or 1 |
/// | `BAND BOR BXOR` | `BOOLEAN` and whole numbers |
/// | `ofInt`, `ofLong`, `ofDouble` | that type alone |
///
/// MPI 4.1, sections 6.9.2 and 6.9.5. Not here yet: `MINLOC`, `MAXLOC` (6.9.4).
public sealed interface Op permits PredefinedOp, CustomOp {
    Op SUM = PredefinedOp.SUM;
    Op PROD = PredefinedOp.PROD;
    Op MIN = PredefinedOp.MIN;
    Op MAX = PredefinedOp.MAX;
    Op LAND = PredefinedOp.LAND;
    Op LOR = PredefinedOp.LOR;
    Op LXOR = PredefinedOp.LXOR;
    Op BAND = PredefinedOp.BAND;
    Op BOR = PredefinedOp.BOR;
    Op BXOR = PredefinedOp.BXOR;

    /// An operation on `DOUBLE`. It must be associative; it is not taken as commutative, so operands are combined
    /// in rank order, until [#commutative] says so.
    static Op ofDouble(String name, DoubleBinaryOperator f) {
        return new CustomOp(name, false, Datatype.DOUBLE, f);
    }

    /// An operation on `LONG`; as [#ofDouble].
    static Op ofLong(String name, LongBinaryOperator f) {
        return new CustomOp(name, false, Datatype.LONG, f);
    }

    /// An operation on `INT`; as [#ofDouble].
    static Op ofInt(String name, IntBinaryOperator f) {
        return new CustomOp(name, false, Datatype.INT, f);
    }

    String name();

    boolean isCommutative();

    /// The same operation, declared commutative: operands may be combined in any order, which is faster.
    Op commutative();

    /// Whether it is defined for elements of `type`.
    boolean supports(Datatype type);

    /// `inout[i] = in[i] op inout[i]` for `count` elements: `in` holds the operands of lower ranks, as in
    /// `MPI_Reduce_local` (MPI 4.1, section 6.9.7). The two parts do not overlap.
    void apply(Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);
}
