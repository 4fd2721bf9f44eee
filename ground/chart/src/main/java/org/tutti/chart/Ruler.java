package org.tutti.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.chart.Axis.Scale;

/// The mapping of an axis to positions on a picture.
///
/// @param low the smallest value; `high` is the largest value
/// @param from the position of `low`; `to` is the position of `high`
record Ruler(Scale scale, double low, double high, double from, double to) {
    private static final double[] STEPS = {1, 2, 5};
    private static final double KI = 1024;

    /// The maximum numbers of labels. More labels would be hard to read, with too little space in between.
    private static final int MOST_POWERS = 12, MOST_TICKS = 8;

    /// Returns a ruler that covers all values.
    static Ruler across(Scale scale, double[] values, double from, double to) {
        double low = least(values), high = largest(values);
        return switch (scale) {
            case BYTES -> new Ruler(scale, low == high ? low / 2 : low, low == high ? high * 2 : high, from, to);
            case LOGARITHMIC -> new Ruler(scale, step(low, false), step(high, true), from, to);
            case LINEAR -> new Ruler(scale, low, low == high ? low + 1 : high, from, to);
        };
    }

    /// Like [#across], but a linear axis begins and ends at ticks.
    static Ruler up(Scale scale, double[] values, double from, double to) {
        if (scale != Scale.LINEAR) return across(scale, values, from, to);
        double low = least(values), high = largest(values);
        if (low == high) {
            double around = low == 0 ? 1 : Math.abs(low) / 2;
            low -= around;
            high += around;
        }
        for (int i = 0; i < 2; i++) { // rounding may extend the range so that ticks need a larger distance
            double apart = apart(low, high);
            low = Math.floor(low / apart + 1e-9) * apart;
            high = Math.ceil(high / apart - 1e-9) * apart;
        }
        return new Ruler(scale, low, high, from, to);
    }

    private static double least(double[] values) {
        return Arrays.stream(values).min().orElse(1);
    }

    private static double largest(double[] values) {
        return Arrays.stream(values).max().orElse(1);
    }

    /// Returns the next of the numbers …, 0.5, 1, 2, 5, 10, … above `value`, or below it if `up` is false, so
    /// that no curve coincides with the frame.
    private static double step(double value, boolean up) {
        double ten = Math.pow(10, Math.floor(Math.log10(value)));
        if (up) {
            for (double s : STEPS) if (s * ten > value * 1.02) return s * ten;
            return 10 * ten;
        }
        for (int i = STEPS.length - 1; i >= 0; i--) if (STEPS[i] * ten < value * 0.98) return STEPS[i] * ten;
        return ten / 2;
    }

    double at(double value) {
        double part =
                scale == Scale.LINEAR ? (value - low) / (high - low) : Math.log(value / low) / Math.log(high / low);
        return from + (to - from) * part;
    }

    List<Double> ticks() {
        return switch (scale) {
            case BYTES -> powersOfTwo();
            case LOGARITHMIC -> tens();
            case LINEAR -> multiples();
        };
    }

    /// Returns the label of a tick, for example `512`, `64 Ki`, `4 Mi` or `0.05`.
    String label(double tick) {
        return switch (scale) {
            case BYTES -> bytes(tick);
            case LOGARITHMIC -> number(tick);
            case LINEAR -> {
                int digits = (int) Math.max(0, -Math.floor(Math.log10(apart(low, high)) + 1e-9));
                yield new BigDecimal(tick)
                        .setScale(digits, RoundingMode.HALF_EVEN)
                        .toPlainString();
            }
        };
    }

    /// Returns 1, 2 and 5 times each power of ten; if the range is large, returns only the powers.
    private List<Double> tens() {
        List<Double> ticks = new ArrayList<>();
        boolean many = high / low > 2e4;
        for (double ten = Math.pow(10, Math.floor(Math.log10(low))); ten <= high * 1.001; ten *= 10) {
            for (double s : STEPS) {
                double tick = s * ten;
                boolean inside = tick >= low * 0.999 && tick <= high * 1.001;
                if (inside && (s == 1 || !many)) ticks.add(tick);
            }
        }
        return ticks;
    }

    /// Returns every power of two in the range, or only every second, third, … power.
    private List<Double> powersOfTwo() {
        int first = (int) Math.ceil(Math.log(low) / Math.log(2) - 1e-9);
        int last = (int) Math.floor(Math.log(high) / Math.log(2) + 1e-9);
        int apart = Math.ceilDiv(last - first + 1, MOST_POWERS);
        List<Double> ticks = new ArrayList<>();
        for (int power = first; power <= last; power += apart) ticks.add(Math.pow(2, power));
        return ticks;
    }

    /// Returns the multiples of a round number, computed by multiplication, so that errors do not accumulate.
    private List<Double> multiples() {
        double apart = apart(low, high);
        List<Double> ticks = new ArrayList<>();
        double first = Math.ceil(low / apart - 1e-9), last = Math.floor(high / apart + 1e-9);
        for (double i = first; i <= last; i++) ticks.add(i * apart + 0.0); // not -0
        return ticks;
    }

    /// Returns the distance between labels: the smallest of …, 0.5, 1, 2, 5, 10, … that leaves enough space for
    /// the labels.
    private static double apart(double low, double high) {
        double least = (high - low) / MOST_TICKS;
        double ten = Math.pow(10, Math.floor(Math.log10(least)));
        for (double s : STEPS) if (s * ten >= least * (1 - 1e-9)) return s * ten;
        return 10 * ten;
    }

    private static String bytes(double value) {
        if (value < KI) return number(value);
        if (value < KI * KI) return number(value / KI) + " Ki";
        return value < KI * KI * KI ? number(value / KI / KI) + " Mi" : number(value / KI / KI / KI) + " Gi";
    }

    /// Returns a number without trailing zeros.
    private static String number(double value) {
        return new BigDecimal(value)
                .round(new MathContext(3))
                .stripTrailingZeros()
                .toPlainString();
    }
}
