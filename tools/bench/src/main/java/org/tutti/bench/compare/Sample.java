package org.tutti.bench.compare;

import java.util.Arrays;

/// Values of some launches, and what they say without a guess at how they are spread: their median, and
/// the interval between two of them, counted from both ends, in which the true median lies with at least
/// 95 % if there are enough (of 10 the 2nd and the 9th: 97.9 %).
final class Sample {
    private static final double WANTED = 0.95;

    private final double[] sorted;

    /// NaN stands for a launch without a value.
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

    /// Which value from either end bounds the interval of `n` values, the first being 1: the innermost
    /// that still covers enough, else the outermost.
    static int place(int n) {
        int place = 1;
        while (place + 1 <= n / 2 && coverage(n, place + 1) >= WANTED) place++;
        return place;
    }

    /// How probable it is that the true median lies between the values at `place` from both ends of `n`.
    static double coverage(int n, int place) {
        double outside = 0, term = Math.pow(0.5, n); // binomial: i of n values below the median
        for (int i = 0; i < place; i++) {
            outside += term;
            term = term * (n - i) / (i + 1);
        }
        return 1 - 2 * outside;
    }

    /// Value by value of the same launch.
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
