package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/// What a reduction does with two elements. Ranks of one call pass operations of the same name.
///
/// | operation | types |
/// |---|---|
/// | `SUM PROD` | all numbers, `CHAR` as an unsigned number, complex numbers |
/// | `MIN MAX` | all numbers, `CHAR` as an unsigned number |
/// | `LAND LOR LXOR` | `BOOLEAN` and whole numbers; the result is 0 or 1 |
/// | `BAND BOR BXOR` | `BOOLEAN` and whole numbers |
/// | `MINLOC MAXLOC` | `DOUBLE_INT LONG_INT FLOAT_INT INT_INT` |
/// | `ofInt`, `ofLong`, `ofFloat`, `ofDouble`, `of` | the one type they are made for |
///
/// `MINLOC` and `MAXLOC` keep the smallest or largest value and its place; of equal values the lowest place
/// (MPI 4.1, section 6.9.4). MPI 4.1, sections 6.9.2 and 6.9.5.
public sealed interface Op permits PredefinedOp, CustomOp, OrderedOp {
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
    Op MINLOC = PredefinedOp.MINLOC;
    Op MAXLOC = PredefinedOp.MAXLOC;

    /// A function of two `float`s.
    @FunctionalInterface
    interface FloatOperator {
        float apply(float left, float right);
    }

    /// Combines whole blocks: `inout[i] = in[i] op inout[i]` for `count` elements, of which `in` has those of
    /// lower ranks. Both segments are exactly so long; they may begin at any address, so layouts must be
    /// unaligned ones. It must neither keep the segments nor communicate.
    @FunctionalInterface
    interface Kernel {
        void combine(MemorySegment in, MemorySegment inout, long count);
    }

    /// An operation on `DOUBLE`. It must be associative; it is not taken as commutative, so operands are
    /// combined in rank order, until [#commutative] says so.
    static Op ofDouble(String name, DoubleBinaryOperator f) {
        return new CustomOp(name, false, Datatype.DOUBLE, f);
    }

    /// An operation on `FLOAT`; as [#ofDouble].
    static Op ofFloat(String name, FloatOperator f) {
        return new CustomOp(name, false, Datatype.FLOAT, f);
    }

    /// An operation on `LONG`; as [#ofDouble].
    static Op ofLong(String name, LongBinaryOperator f) {
        return new CustomOp(name, false, Datatype.LONG, f);
    }

    /// An operation on `INT`; as [#ofDouble].
    static Op ofInt(String name, IntBinaryOperator f) {
        return new CustomOp(name, false, Datatype.INT, f);
    }

    /// An operation on any type, which is handed whole blocks of elements at a time: for complex numbers,
    /// pairs, or a loop of your own. Elements of a derived type lie packed there, [Datatype#bytes] each. As
    /// [#ofDouble] otherwise. MPI 4.1, section 6.9.5.
    static Op of(String name, Datatype type, Kernel kernel) {
        return new CustomOp(name, false, type, kernel);
    }

    String name();

    boolean isCommutative();

    /// The same operation, declared commutative: operands may be combined in any order, which is faster.
    Op commutative();

    boolean isInRankOrder();

    /// The same operation, with a result that does not depend on when anything happens, nor on the engine or
    /// the length: as of a loop over the ranks, `((x0 op x1) op x2) op …`, bit by bit. Without it, floating
    /// sums of the same operands may differ in the last bits between engines, libraries and lengths. It
    /// depends on the number of ranks, as the loop does; [ExactSum] does not. Reductions between two groups
    /// are in a fixed order anyway, not in this one.
    ///
    /// A reduction then takes two rounds of messages to and from all ranks, where others take about log p of
    /// fewer: as much data, and as much work. Make it once and use it often.
    Op inRankOrder();

    /// Whether it is defined for elements of `type`.
    boolean supports(Datatype type);

    /// `inout[i] = in[i] op inout[i]` for `count` elements: `in` holds the operands of lower ranks. The two
    /// parts do not overlap. For engines; a program calls [#reduceLocal].
    void apply(Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);

    /// `inout[i] = in[i] op inout[i]`, on this rank alone. The buffers hold as many elements of the same type
    /// and do not overlap. MPI 4.1, section 6.9.7.
    ///
    /// @throws MpiException `ERR_COUNT`, `ERR_TYPE` when they differ, `ERR_OP` when the operation is not
    ///     defined for the type
    void reduceLocal(Buf in, Buf inout);
}
