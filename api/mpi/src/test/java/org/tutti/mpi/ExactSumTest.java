package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// An [ExactSum] equals the sum that [BigDecimal] computes, rounded once.
class ExactSumTest {
    private static final long SEED = Long.getLong("tutti.seed", 11);

    private static void expect(double expected, double... numbers) {
        double actual = new ExactSum().add(numbers).value();
        assertThat(Double.doubleToLongBits(actual))
                .as("sum %s of %s is %s", expected, java.util.Arrays.toString(numbers), actual)
                .isEqualTo(Double.doubleToLongBits(expected));
    }

    /// Adds random bit patterns that are finite numbers. BigDecimal's rounding is assumed to be correct.
    @Test
    void isBigDecimalsSumRounded() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int trial = 0; trial < 3000; trial++) {
            ExactSum sum = new ExactSum();
            BigDecimal exact = BigDecimal.ZERO;
            int spread = 1 + random.nextInt(2000);
            int middle = random.nextInt(2046 - Math.min(2045, spread) + 1);
            for (int i = random.nextInt(20); i >= 0; i--) {
                long exponent = Math.min(2046, middle + random.nextInt(spread));
                double x = Double.longBitsToDouble(random.nextLong() & 0x800f_ffff_ffff_ffffL | exponent << 52);
                sum.add(x);
                exact = exact.add(new BigDecimal(x));
            }
            assertThat(sum.value())
                    .as("trial %d; again with -Dtutti.seed=%d", trial, SEED)
                    .isEqualTo(exact.doubleValue());
            assertThat(sum.floatValue())
                    .as("trial %d as a float; again with -Dtutti.seed=%d", trial, SEED)
                    .isEqualTo(exact.floatValue());
        }
    }

    @Test
    void doesNotDependOnOrderOrParts() {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] numbers = new double[1000];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Math.scalb(random.nextDouble() - 0.5, random.nextInt(100));
        }
        double whole = new ExactSum().add(numbers).value();
        for (int parts = 1; parts <= 8; parts++) {
            ExactSum[] each = new ExactSum[parts];
            for (int p = 0; p < parts; p++) each[p] = new ExactSum();
            for (int i = numbers.length - 1; i >= 0; i--) each[random.nextInt(parts)].add(numbers[i]);
            ExactSum sum = new ExactSum();
            for (ExactSum part : each) sum.add(part);
            assertThat(Double.doubleToLongBits(sum.value())).isEqualTo(Double.doubleToLongBits(whole));
        }
    }

    @Test
    void roundsOnceToTheNearestAndHalvesToEven() {
        double one = 1;
        double half = Math.ulp(1.0) / 2;
        expect(one, one, half);
        expect(one + 2 * half, one, half, Double.MIN_VALUE);
        expect(one + 4 * half, one + 2 * half, half);
        expect(-one, -one, -half);
        expect(-one - 2 * half, -one, -half, -Double.MIN_VALUE);
        expect(0.1, 1e300, 0.1, -1e300);
    }

    @Test
    void subnormalNumbersAndZeros() {
        expect(0.0);
        expect(0.0, -0.0);
        expect(0.0, 1.5, -1.5);
        expect(Double.MIN_VALUE, Double.MIN_VALUE);
        expect(-3 * Double.MIN_VALUE, -Double.MIN_VALUE, -2 * Double.MIN_VALUE);
        expect(Double.MIN_NORMAL, Double.MIN_NORMAL - Double.MIN_VALUE, Double.MIN_VALUE);
        assertThat(new ExactSum().add(Double.MIN_VALUE).floatValue()).isZero();
        assertThat(new ExactSum()
                        .add(new float[] {Float.MIN_VALUE, Float.MIN_VALUE})
                        .floatValue())
                .isEqualTo(2 * Float.MIN_VALUE);
    }

    @Test
    void infinitiesNansAndOverflow() {
        double most = Double.MAX_VALUE;
        double inf = Double.POSITIVE_INFINITY;
        expect(inf, inf, 1);
        expect(-inf, -inf, most);
        expect(Double.NaN, inf, -inf);
        expect(Double.NaN, Double.NaN, 1);
        expect(inf, most, most);
        expect(-inf, -most, -most);
        expect(most, most, most, -most);
        expect(most, most, Math.ulp(most) / 4);
        expect(inf, most, Math.ulp(most) / 2);
        assertThat(new ExactSum()
                        .add(new float[] {Float.MAX_VALUE, Float.MAX_VALUE})
                        .floatValue())
                .isEqualTo(Float.POSITIVE_INFINITY);
        assertThat(new ExactSum().add(1.0).clear().value()).isZero();
    }

    /// Doubles the sum 40 times, which carries into higher limbs; 2^40 single additions would take too long.
    @Test
    void addingASumToItselfDoublesIt() {
        ExactSum sum = new ExactSum().add(3).add(-0.1).add(1e-300);
        double once = sum.value();
        for (int i = 0; i < 40; i++) sum.add(sum);
        assertThat(sum.value()).isEqualTo(Math.scalb(once, 40));
    }
}
