package org.tutti.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A logarithmic axis: which values there are, and where they are on the picture.
///
/// @param low the least value that is on it, high the largest
/// @param from where `low` is, to where `high` is
record Axis(double low, double high, double from, double to) {
    private static final double[] STEPS = {1, 2, 5};

    /// Large enough for all values; the ends are round in powers of `base`'s steps.
    static Axis of(double[] values, int base, double from, double to) {
        double low = Arrays.stream(values).min().orElse(1),
                high = Arrays.stream(values).max().orElse(1);
        if (base == 2) return new Axis(low == high ? low / 2 : low, low == high ? high * 2 : high, from, to);
        return new Axis(step(low, false), step(high, true), from, to);
    }

    /// The next of …, 0.5, 1, 2, 5, 10, … beyond `value`, so that no curve lies on the frame.
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
        return from + (to - from) * Math.log(value / low) / Math.log(high / low);
    }

    /// 1, 2, 5 of each power of ten; 1 alone where those are many.
    List<Double> tens() {
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

    /// Every power of two, or every second, third, …
    List<Double> powersOfTwo(int most) {
        int first = (int) Math.ceil(Math.log(low) / Math.log(2) - 1e-9);
        int last = (int) Math.floor(Math.log(high) / Math.log(2) + 1e-9);
        int apart = Math.ceilDiv(last - first + 1, most);
        List<Double> ticks = new ArrayList<>();
        for (int power = first; power <= last; power += apart) ticks.add(Math.pow(2, power));
        return ticks;
    }
}
