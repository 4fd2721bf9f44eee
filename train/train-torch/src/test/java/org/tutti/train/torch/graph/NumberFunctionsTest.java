package org.tutti.train.torch.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// Expected values are Python's.
final class NumberFunctionsTest {
    private static Object compute(String target, Object... operands) {
        return NumberFunctions.of(target).apply(operands);
    }

    @Test
    void integersAreComputedAsInPython() {
        assertThat(compute("_operator.add", 7L, -2L)).isEqualTo(5L);
        assertThat(compute("_operator.sub", 7L, -2L)).isEqualTo(9L);
        assertThat(compute("_operator.mul", 7L, -2L)).isEqualTo(-14L);
        assertThat(compute("_operator.floordiv", 7L, -2L)).isEqualTo(-4L);
        assertThat(compute("_operator.mod", 7L, -2L)).isEqualTo(-1L);
        assertThat(compute("_operator.truediv", 7L, -2L)).isEqualTo(-3.5);
        assertThat(compute("_operator.pow", 7L, 2L)).isEqualTo(49L);
        assertThat(compute("_operator.pow", 2L, -1L)).isEqualTo(0.5);
        assertThat(compute("_operator.neg", 7L)).isEqualTo(-7L);
        assertThat(compute("_operator.lshift", 3L, 4L)).isEqualTo(48L);
        assertThat(compute("_operator.rshift", -3L, 70L)).isEqualTo(-1L);
        assertThat(compute("_operator.and_", 6L, 3L)).isEqualTo(2L);
        assertThat(compute("_operator.or_", true, false)).isEqualTo(true);
        assertThat(compute("_operator.add", true, 1L)).isEqualTo(2L);
    }

    @Test
    void realNumbersAreComputedAsInPython() {
        assertThat(compute("_operator.floordiv", -7.5, 2L)).isEqualTo(-4.0);
        assertThat(compute("_operator.mod", -7.5, 2L)).isEqualTo(0.5);
        assertThat(compute("math.trunc", -2.5)).isEqualTo(-2L);
        assertThat(compute("math.floor", -2.5)).isEqualTo(-3L);
        assertThat(compute("math.ceil", -2.5)).isEqualTo(-2L);
        assertThat(compute("torch.sym_float", 3L)).isEqualTo(3.0);
        assertThat(compute("torch.sym_int", 3.9)).isEqualTo(3L);
        assertThat(compute("torch.sym_sqrt", 9L)).isEqualTo(3.0);
    }

    @Test
    void comparisonsAndChoicesAreThoseOfPython() {
        assertThat(compute("_operator.lt", 2L, 2.5)).isEqualTo(true);
        assertThat(compute("_operator.ge", 2L, 3L)).isEqualTo(false);
        assertThat(compute("_operator.eq", 2L, 2.0)).isEqualTo(true);
        assertThat(compute("torch.sym_not", false)).isEqualTo(true);
        assertThat(compute("torch.sym_ite", true, 1L, 2L)).isEqualTo(1L);
        assertThat(compute("torch.sym_max", 2L, 3L)).isEqualTo(3L);
        assertThat(compute("torch.sym_min", 2L, 3.5)).isEqualTo(2L);
    }

    @Test
    void overflowsAndDivisionsByZeroAreErrors() {
        for (String target : new String[] {"_operator.floordiv", "_operator.mod", "_operator.truediv"}) {
            assertThatThrownBy(() -> compute(target, 1L, 0L)).isInstanceOf(ArithmeticException.class);
        }
        assertThatThrownBy(() -> compute("_operator.mul", Long.MAX_VALUE, 2L)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> compute("_operator.lshift", 1L, 64L)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> compute("math.trunc", 1e300)).isInstanceOf(ArithmeticException.class);
    }

    private static Long size(String text) {
        SizeExpression parsed = SizeExpression.parse(text);
        return parsed == null ? null : parsed.value(Map.of("s1", 7L, "s2", 3L));
    }

    @Test
    void expressionsOfSizesAreEvaluated() {
        assertThat(size("2*s1 + 1")).isEqualTo(15);
        assertThat(size("s1 - s2 - 1")).isEqualTo(3);
        assertThat(size("(s1 + -1)//2*s2")).isEqualTo(9);
        assertThat(size("-3//2")).isEqualTo(-2);
        assertThat(size("s1%4")).isEqualTo(3);
        assertThat(size("Max(1, s2, Min(s1, 5))")).isEqualTo(5);
        assertThat(size("floor(s1//2)")).isEqualTo(3);
    }

    /// Null means an unchecked size.
    @Test
    void otherExpressionsAreNotChecked() {
        assertThat(size("s9")).isNull();
        assertThat(size("s1/2")).isNull();
        assertThat(size("s1//0")).isNull();
        assertThat(size("Pow(s1, 2)")).isNull();
        assertThat(size("2*")).isNull();
        assertThat(size("s1 s2")).isNull();
        assertThat(size("Max(1")).isNull();
        assertThat(size("99999999999999999999")).isNull();
        assertThat(size("9223372036854775807 + s1")).isNull();
        assertThat(size("(".repeat(100) + "s1" + ")".repeat(100))).isNull();
        assertThat(size("(".repeat(1_000_000))).isNull();
    }
}
