package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.CustomReduction;
import org.tutti.spi.reduce.OrderedReduction;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.reduce.WindowReduction;

/// What a reduction does with two elements. Ranks of one call pass operations of the same name.
///
/// | operation | types |
/// |---|---|
/// | `SUM PROD` | all numbers, `CHAR` as an unsigned number, complex numbers |
/// | `MIN MAX` | all numbers, `CHAR` as an unsigned number |
/// | `LAND LOR LXOR` | `BOOLEAN` and whole numbers; the result is 0 or 1 |
/// | `BAND BOR BXOR` | `BOOLEAN` and whole numbers |
/// | `MINLOC MAXLOC` | `DOUBLE_INT LONG_INT FLOAT_INT INT_INT` |
/// | `REPLACE NO_OP` | every type, in accumulates of a [Window] alone |
/// | `ofInt`, `ofLong`, `ofFloat`, `ofDouble`, `of` | the one type they are made for |
///
/// `MINLOC` and `MAXLOC` keep the smallest or largest value and its place; of equal values the lowest place
/// (MPI 4.1, section 6.9.4). Everything here is local; an operation never changes and may be used by any
/// thread. MPI 4.1, sections 6.9.2 and 6.9.5.
public final class Op {
    /// The sum.
    public static final Op SUM = new Op(PredefinedReduction.SUM);
    /// The product.
    public static final Op PROD = new Op(PredefinedReduction.PROD);
    /// The smallest.
    public static final Op MIN = new Op(PredefinedReduction.MIN);
    /// The largest.
    public static final Op MAX = new Op(PredefinedReduction.MAX);
    /// Logical and.
    public static final Op LAND = new Op(PredefinedReduction.LAND);
    /// Logical or.
    public static final Op LOR = new Op(PredefinedReduction.LOR);
    /// Logical exclusive or.
    public static final Op LXOR = new Op(PredefinedReduction.LXOR);
    /// Bitwise and.
    public static final Op BAND = new Op(PredefinedReduction.BAND);
    /// Bitwise or.
    public static final Op BOR = new Op(PredefinedReduction.BOR);
    /// Bitwise exclusive or.
    public static final Op BXOR = new Op(PredefinedReduction.BXOR);
    /// The smallest value, and its place.
    public static final Op MINLOC = new Op(PredefinedReduction.MINLOC);
    /// The largest value, and its place.
    public static final Op MAXLOC = new Op(PredefinedReduction.MAXLOC);

    /// The new element, in accumulates alone.
    public static final Op REPLACE = new Op(WindowReduction.REPLACE);
    /// The old element, in accumulates that return it alone.
    public static final Op NO_OP = new Op(WindowReduction.NO_OP);

    private final Reduction reduction;

    /// The same one, not in rank order.
    private final Op unordered;

    /// The last type that it [#supports].
    private @Nullable Datatype supported;

    private Op(Reduction reduction) {
        this.reduction = reduction;
        unordered = this;
    }

    private Op(OrderedReduction reduction, Op unordered) {
        this.reduction = reduction;
        this.unordered = unordered;
    }

    /// A function of two `float`s.
    @FunctionalInterface
    public interface FloatOperator {
        /// Combines two elements; `left` is of the lower rank.
        float apply(float left, float right);
    }

    /// Combines whole blocks: `inout[i] = in[i] op inout[i]` for `count` elements, of which `in` has those of
    /// lower ranks. Both segments are exactly so long; they may begin at any address, so layouts must be
    /// unaligned ones. It must neither keep the segments nor communicate.
    @FunctionalInterface
    public interface Kernel {
        /// Combines two blocks of `count` elements into `inout`.
        void combine(MemorySegment in, MemorySegment inout, long count);
    }

    /// Makes an operation on `DOUBLE`. It must be associative; it is not taken as commutative, so operands
    /// are combined in rank order, until [#commutative] says so. `MPI_Op_create`, MPI 4.1, section 6.9.5.
    public static Op ofDouble(String name, DoubleBinaryOperator f) {
        return custom(name, Datatype.DOUBLE, new OpLoops.OfDouble(Arguments.given("of", "f", f)));
    }

    /// Makes an operation on `FLOAT`; as [#ofDouble].
    public static Op ofFloat(String name, FloatOperator f) {
        return custom(name, Datatype.FLOAT, new OpLoops.OfFloat(Arguments.given("of", "f", f)));
    }

    /// Makes an operation on `LONG`; as [#ofDouble].
    public static Op ofLong(String name, LongBinaryOperator f) {
        return custom(name, Datatype.LONG, new OpLoops.OfLong(Arguments.given("of", "f", f)));
    }

    /// Makes an operation on `INT`; as [#ofDouble].
    public static Op ofInt(String name, IntBinaryOperator f) {
        return custom(name, Datatype.INT, new OpLoops.OfInt(Arguments.given("of", "f", f)));
    }

    /// Makes an operation on any type, which is handed whole blocks of elements at a time: for complex
    /// numbers, pairs, or a loop of your own. Elements of a derived type lie packed there, [Datatype#sizeBytes]
    /// each. As [#ofDouble] otherwise. `MPI_Op_create`, MPI 4.1, section 6.9.5.
    public static Op of(String name, Datatype type, Kernel kernel) {
        return custom(name, type, new OpLoops.OfBlocks(Arguments.given("of", "kernel", kernel)));
    }

    private static Op custom(String name, Datatype type, CustomReduction.Loop loop) {
        Arguments.given("of", "name", name);
        Arguments.given("of", "type", type);
        return new Op(new CustomReduction(name, false, type.elements(), loop));
    }

    Reduction reduction() {
        return reduction;
    }

    /// Returns the name that texts have for it, by which ranks compare operations.
    public String name() {
        return reduction.name();
    }

    /// Returns whether operands may be combined in any order. `MPI_Op_commutative`, MPI 4.1, section 6.9.7.
    public boolean isCommutative() {
        return reduction.isCommutative();
    }

    /// Returns the same operation, declared commutative: operands may be combined in any order, which is
    /// faster.
    public Op commutative() {
        return switch (reduction) {
            case PredefinedReduction predefined -> this;
            case WindowReduction ofWindows -> this;
            case CustomReduction c -> new Op(new CustomReduction(c.name(), true, c.type(), c.loop()));
            case OrderedReduction ordered -> unordered.commutative();
        };
    }

    /// Returns whether it is one that [#inRankOrder] has made.
    public boolean isInRankOrder() {
        return reduction.isInRankOrder();
    }

    /// Returns the same operation, with a result that does not depend on when anything happens, nor on the
    /// engine or the length: as of a loop over the ranks, `((x0 op x1) op x2) op …`, bit by bit. Without it,
    /// floating sums of the same operands may differ in the last bits between engines, libraries and lengths.
    /// It depends on the number of ranks, as the loop does; [ExactSum] does not. Reductions between two
    /// groups are in a fixed order anyway, not in this one.
    ///
    /// A reduction then takes two rounds of messages to and from all ranks, where others take about log p of
    /// fewer: as much data, and as much work. Make it once and use it often.
    public Op inRankOrder() {
        return isInRankOrder() || reduction instanceof WindowReduction
                ? this
                : new Op(new OrderedReduction(reduction), this);
    }

    /// Returns whether reductions have it for elements of `type`.
    public boolean supports(Datatype type) {
        Arguments.given("supports", "type", type);
        boolean isSupported = !(reduction instanceof WindowReduction) && reduction.supports(type.elements());
        if (isSupported) supported = type;
        return isSupported;
    }

    /// Whether it supports this type, as far as that is known without a look at the type.
    boolean isKnownFor(Datatype type) {
        return supported == type;
    }

    /// Whether accumulates have it.
    boolean isForWindows() {
        return reduction instanceof PredefinedReduction || reduction instanceof WindowReduction;
    }

    /// Combines two buffers on this rank alone: `inout[i] = in[i] op inout[i]`. They hold as many elements of
    /// the same type and do not overlap. `MPI_Reduce_local`, MPI 4.1, section 6.9.7.
    ///
    /// @throws MpiException `ERR_COUNT`, `ERR_TYPE` when they differ; `ERR_OP` when the operation is not
    ///     defined for the type; `ERR_BUFFER` when one is missing, or `inout` is read-only
    public void reduceLocal(Buf in, Buf inout) {
        Arguments.given("reduceLocal", "in", in);
        Arguments.given("reduceLocal", "inout", inout);
        if (!in.isPlace() || !inout.isPlace() || inout.isReadOnly()) {
            String what = inout.isReadOnly() ? "inout is read-only" : "in is " + in + " and inout is " + inout;
            throw MpiException.argument(ErrorClass.ERR_BUFFER, "reduceLocal", what + "; pass two buffers", null);
        }
        if (in.datatype() != inout.datatype() || in.count() != inout.count()) {
            throw MpiException.argument(
                    in.datatype() == inout.datatype() ? ErrorClass.ERR_COUNT : ErrorClass.ERR_TYPE,
                    "reduceLocal",
                    "in holds " + in + " but inout holds " + inout,
                    null);
        }
        if (!supports(in.datatype())) {
            throw MpiException.argument(
                    ErrorClass.ERR_OP,
                    "reduceLocal",
                    name() + " is not defined for " + in.datatype() + "; see the table at Op",
                    null);
        }
        Arguments.checkRecords("reduceLocal", in, 0, in.count(), null);
        Arguments.checkRecords("reduceLocal", inout, 0, inout.count(), null);
        if (inout.overlaps()) throw Arguments.overlap("reduceLocal", null);
        Memory to = inout.toMemory();
        reduction.apply(in.datatype().elements(), in.toMemory().segment(), 0, to.segment(), 0, in.count());
        inout.fromMemory(to, 0, inout.sizeBytes());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Op op && reduction.equals(op.reduction);
    }

    @Override
    public int hashCode() {
        return reduction.hashCode();
    }

    @Override
    public String toString() {
        return name();
    }
}
