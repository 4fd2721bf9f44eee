package org.tutti.device;

import java.util.Locale;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Op;

/// An operation of [ArrayKernels#apply].
public sealed interface ElementwiseOp {
    /// Returns the C expression for the kernel. The operands are `x[i]` and `y[i]`.
    String expression();

    /// Returns the name of the kernel, without prefix.
    String kernel();

    enum Binary implements ElementwiseOp {
        ADD("x[i] + y[i]", (x, y) -> x + y, (x, y) -> x + y),
        SUBTRACT("x[i] - y[i]", (x, y) -> x - y, (x, y) -> x - y),
        MULTIPLY("x[i] * y[i]", (x, y) -> x * y, (x, y) -> x * y),
        DIVIDE("x[i] / y[i]", (x, y) -> x / y, (x, y) -> y == 0 ? 0 : x / y),
        /// The smaller operand; NaN if an operand is NaN.
        MINIMUM("x[i] < y[i] || x[i] != x[i] ? x[i] : y[i]", (x, y) -> x < y || Double.isNaN(x) ? x : y, Math::min),
        /// The larger operand; NaN if an operand is NaN.
        MAXIMUM("x[i] > y[i] || x[i] != x[i] ? x[i] : y[i]", (x, y) -> x > y || Double.isNaN(x) ? x : y, Math::max);

        private final String expression;
        private final DoubleBinaryOperator floating;
        private final LongBinaryOperator integer;

        Binary(String expression, DoubleBinaryOperator floating, LongBinaryOperator integer) {
            this.expression = expression;
            this.floating = floating;
            this.integer = integer;
        }

        @Override
        public String expression() {
            return expression;
        }

        @Override
        public String kernel() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// Returns the operation that combines two operands of a reduction; null if none exists.
        static @Nullable Binary combining(Op op) {
            if (op.equals(Op.SUM)) return ADD;
            if (op.equals(Op.PROD)) return MULTIPLY;
            if (op.equals(Op.MIN)) return MINIMUM;
            if (op.equals(Op.MAX)) return MAXIMUM;
            return null;
        }

        double of(double x, double y) {
            return floating.applyAsDouble(x, y);
        }

        long of(long x, long y) {
            return integer.applyAsLong(x, y);
        }
    }

    enum Unary implements ElementwiseOp {
        NEGATE("-x[i]", x -> -x, x -> -x),
        ABS("x[i] <= 0 ? 0 - x[i] : x[i]", Math::abs, Math::abs),
        SQUARE("x[i] * x[i]", x -> x * x, x -> x * x),
        SQRT("sqrt(x[i])", Math::sqrt, null),
        EXP("exp(x[i])", Math::exp, null),
        LOG("log(x[i])", Math::log, null),
        SIN("sin(x[i])", Math::sin, null),
        COS("cos(x[i])", Math::cos, null),
        TANH("tanh(x[i])", Math::tanh, null);

        private final String expression;
        private final DoubleUnaryOperator floating;
        private final @Nullable LongUnaryOperator integer;

        Unary(String expression, DoubleUnaryOperator floating, @Nullable LongUnaryOperator integer) {
            this.expression = expression;
            this.floating = floating;
            this.integer = integer;
        }

        @Override
        public String expression() {
            return expression;
        }

        @Override
        public String kernel() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean forIntegers() {
            return integer != null;
        }

        double of(double x) {
            return floating.applyAsDouble(x);
        }

        long of(long x) {
            return Objects.requireNonNull(integer).applyAsLong(x);
        }
    }
}
