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

/// A reduction of two elements. All ranks of a call must pass operations with the same name.
///
/// | operation | types |
/// |---|---|
/// | `SUM PROD` | all numbers, `CHAR` as an unsigned number, complex numbers |
/// | `MIN MAX` | all numbers, `CHAR` as an unsigned number |
/// | `LAND LOR LXOR` | `BOOLEAN` and integers; the result is 0 or 1 |
/// | `BAND BOR BXOR` | `BOOLEAN` and integers |
/// | `MINLOC MAXLOC` | `DOUBLE_INT LONG_INT FLOAT_INT INT_INT`: `buf(values, places)` |
/// | `REPLACE NO_OP` | every type, only in accumulates of a [Window] |
/// | `ofInt`, `ofLong`, `ofFloat`, `ofDouble`, `of` | the type for which they were created |
///
/// `MINLOC` and `MAXLOC` return the smallest or the largest value, with the index of that pair; if several
/// pairs have this value, with the lowest of their indices (MPI 4.1, section 6.9.4). All methods are local; an
/// operation is immutable and thread-safe. MPI 4.1, sections 6.9.2 and 6.9.5.
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
    /// The smallest value, with the index.
    public static final Op MINLOC = new Op(PredefinedReduction.MINLOC);
    /// The largest value, with the index.
    public static final Op MAXLOC = new Op(PredefinedReduction.MAXLOC);

    /// The new element. Only for accumulates.
    public static final Op REPLACE = new Op(WindowReduction.REPLACE);
    /// The old element. Only for accumulates that return the old element.
    public static final Op NO_OP = new Op(WindowReduction.NO_OP);

    private final Reduction reduction;

    /// If [#inRankOrder] has created this operation, the operation from which it was created; otherwise this
    /// operation.
    private final Op unordered;

    /// The last type for which [#supports] returned true.
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
        /// Combines two elements. `left` is the element of the lower rank.
        float apply(float left, float right);
    }

    /// Combines blocks: `inout[i] = in[i] op inout[i]` for `count` elements; `in` contains the elements of
    /// lower ranks. The segments have exactly this length, and can begin at any address, so a kernel must use
    /// unaligned layouts. A kernel must not retain the segments, and must not communicate.
    @FunctionalInterface
    public interface Kernel {
        /// Combines two blocks of `count` elements into `inout`.
        void combine(MemorySegment in, MemorySegment inout, long count);
    }

    /// Creates an operation on `DOUBLE`. The function must be associative; operands are combined in rank order
    /// unless [#commutative] is applied. `MPI_Op_create`, MPI 4.1, section 6.9.5.
    public static Op ofDouble(String name, DoubleBinaryOperator f) {
        return custom(name, Datatype.DOUBLE, new OpLoops.OfDouble(Arguments.given("of", "f", f)));
    }

    /// Creates an operation on `FLOAT`; see [#ofDouble].
    public static Op ofFloat(String name, FloatOperator f) {
        return custom(name, Datatype.FLOAT, new OpLoops.OfFloat(Arguments.given("of", "f", f)));
    }

    /// Creates an operation on `LONG`; see [#ofDouble].
    public static Op ofLong(String name, LongBinaryOperator f) {
        return custom(name, Datatype.LONG, new OpLoops.OfLong(Arguments.given("of", "f", f)));
    }

    /// Creates an operation on `INT`; see [#ofDouble].
    public static Op ofInt(String name, IntBinaryOperator f) {
        return custom(name, Datatype.INT, new OpLoops.OfInt(Arguments.given("of", "f", f)));
    }

    /// Creates an operation on any type, which is applied to blocks of elements: for complex numbers, pairs, or
    /// a custom loop. Elements of a derived type are packed, with a size of [Datatype#sizeBytes]. In other
    /// respects, see [#ofDouble]. `MPI_Op_create`, MPI 4.1, section 6.9.5.
    public static Op of(String name, Datatype type, Kernel kernel) {
        return custom(name, type, new OpLoops.OfBlocks(Arguments.given("of", "kernel", kernel)));
    }

    private static Op custom(String name, Datatype type, CustomReduction.Combiner loop) {
        Arguments.given("of", "name", name);
        Arguments.given("of", "type", type);
        return new Op(new CustomReduction(name, false, type.elements(), loop));
    }

    Reduction reduction() {
        return reduction;
    }

    /// Returns the name, which is used in errors, and by which ranks compare operations.
    public String name() {
        return reduction.name();
    }

    /// Returns whether operands may be combined in any order. `MPI_Op_commutative`, MPI 4.1, section 6.9.7.
    public boolean isCommutative() {
        return reduction.isCommutative();
    }

    /// Returns the same operation, but declared commutative: operands may then be combined in any order, which
    /// is faster.
    public Op commutative() {
        return switch (reduction) {
            case PredefinedReduction predefined -> this;
            case WindowReduction ofWindows -> this;
            case CustomReduction c -> new Op(new CustomReduction(c.name(), true, c.type(), c.loop()));
            case OrderedReduction ordered -> unordered.commutative();
        };
    }

    /// Returns whether [#inRankOrder] has created this operation.
    public boolean isInRankOrder() {
        return reduction.isInRankOrder();
    }

    /// Returns the same operation, but with a result that does not depend on timing, engine or length: the
    /// result has the same bits as that of a loop over the ranks, `((x0 op x1) op x2) op …`. Without this
    /// guarantee, floating-point sums of the same operands can differ in the last bits between engines,
    /// libraries and lengths. The result still depends on the number of ranks; use [ExactSum] to avoid this.
    /// Reductions between two groups always have a fixed order, which differs from the order above.
    ///
    /// A reduction with the returned operation needs two rounds of messages with all ranks, instead of about
    /// log p rounds with fewer ranks; the amounts of data and work are the same as with this operation. Create
    /// the operation once, and reuse it.
    public Op inRankOrder() {
        return isInRankOrder() || reduction instanceof WindowReduction
                ? this
                : new Op(new OrderedReduction(reduction), this);
    }

    /// Returns whether reductions support this operation for elements of `type`.
    public boolean supports(Datatype type) {
        Arguments.given("supports", "type", type);
        boolean isSupported = !(reduction instanceof WindowReduction) && reduction.supports(type.elements());
        if (isSupported) supported = type;
        return isSupported;
    }

    /// Returns whether this operation is known to support the type because it is the last type for which
    /// [#supports] returned true.
    boolean isKnownFor(Datatype type) {
        return supported == type;
    }

    /// Returns the error text for a type that this operation does not support.
    String undefinedFor(Datatype type) {
        Reduction r = unordered.reduction;
        boolean isOfPairs = r == PredefinedReduction.MINLOC || r == PredefinedReduction.MAXLOC;
        return name() + " is not defined for " + type
                + (isOfPairs ? "; pass pairs: buf(values, places)" : "; see the table at Op");
    }

    /// Returns whether accumulates support this operation.
    boolean isForWindows() {
        return reduction instanceof PredefinedReduction || reduction instanceof WindowReduction;
    }

    /// Combines two buffers on this rank: `inout[i] = in[i] op inout[i]`. The buffers must have the same number
    /// of elements of the same type, and must not overlap. `MPI_Reduce_local`, MPI 4.1, section 6.9.7.
    ///
    /// @throws MpiException `ERR_COUNT`, `ERR_TYPE` if the buffers differ; `ERR_OP` if the operation is not
    ///     defined for the type; `ERR_BUFFER` if a buffer is missing, or `inout` is read-only
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
            throw MpiException.argument(ErrorClass.ERR_OP, "reduceLocal", undefinedFor(in.datatype()), null);
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
