package org.tutti.bench.mpi4py;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/// Formats numbers like `%g` of C and Python: six digits, no trailing zeros. Java's `%g` prints trailing zeros.
final class GeneralFormat {
    private static final int DIGITS = 6, LEAST_EXPONENT = -4;

    private GeneralFormat() {}

    static String of(double value) {
        if (value == 0 || !Double.isFinite(value)) return value == 0 ? "0" : Double.toString(value);
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(DIGITS, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= LEAST_EXPONENT && exponent < DIGITS) {
            return rounded.stripTrailingZeros().toPlainString();
        }
        String digits = rounded.movePointLeft(exponent).stripTrailingZeros().toPlainString();
        return digits + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
