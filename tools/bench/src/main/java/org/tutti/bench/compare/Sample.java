package org.tutti.bench.compare;

import java.util.Arrays;

/// Values of several launches, evaluated without an assumption about the distribution: the median, and an
/// interval that contains the true median with a probability of at least 95 % if there are enough values. The
/// interval is bounded by two of the sorted values, at the same distance from the two ends: of 10 values, the
/// 2nd and the 9th (97.9 %).
final class Sample {
    private static final double WANTED = 0.95;

    private final double[] sorted;

    /// @param values one for each launch; NaN for a launch without a value
    Sample(double... values) {
        sorted = Arrays.stream(values).filter(v -> !Double.isNaN(v)).sorted().toArray();
    }

    int size() {
        return sorted.length;
    }

    double median() {
        int n = sorted.length;
        if (n == 0) return Double.NaN;
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    double low() {
        return sorted.length == 0 ? Double.NaN : sorted[place(sorted.length) - 1];
    }

    double high() {
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - place(sorted.length)];
    }

    /// Returns the position, counted from 1 from either end, of the values that bound the interval of `n`
    /// values. The interval is the narrowest one with sufficient coverage; if none has it, the position is 1.
    static int place(int n) {
        int place = 1;
        while (place + 1 <= n / 2 && coverage(n, place + 1) >= WANTED) place++;
        return place;
    }

    /// Returns the probability that the true median is between the two values at position `place`, counted from
    /// either end of `n` sorted values.
    static double coverage(int n, int place) {
        double outside = 0, term = Math.pow(0.5, n); // binomial: i of n values below the median
        for (int i = 0; i < place; i++) {
            outside += term;
            term = term * (n - i) / (i + 1);
        }
        return 1 - 2 * outside;
    }

    /// Returns the ratios of values of the same launch.
    static Sample ratios(double[] values, double[] others) {
        double[] ratios = new double[values.length];
        for (int i = 0; i < ratios.length; i++) ratios[i] = values[i] / others[i];
        return new Sample(ratios);
    }

    static Sample differences(double[] values, double[] others) {
        double[] differences = new double[values.length];
        for (int i = 0; i < differences.length; i++) differences[i] = values[i] - others[i];
        return new Sample(differences);
    }
}
