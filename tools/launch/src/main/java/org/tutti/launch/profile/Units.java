package org.tutti.launch.profile;

import java.util.Locale;

/// Formats times and sizes, with three digits where possible, and counts.
final class Units {
    private static final String[] TIMES = {"ns", "µs", "ms", "s"};
    private static final String[] LENGTHS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Units() {}

    /// Returns `50.1 ms`, for example.
    static String time(long nanos) {
        double time = nanos;
        int unit = 0;
        for (; unit < TIMES.length - 1 && time >= 999.5; unit++) time /= 1000;
        return digits(time, unit == 0) + " " + TIMES[unit];
    }

    /// Returns `4.00 MiB`, for example.
    static String bytes(long bytes) {
        double length = bytes;
        int unit = 0;
        for (; unit < LENGTHS.length - 1 && length >= 1023.5; unit++) length /= 1024;
        return digits(length, unit == 0) + " " + LENGTHS[unit];
    }

    private static String digits(double amount, boolean whole) {
        int places = whole || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + places + "f", amount);
    }

    /// Returns `12.3 %`, for example.
    static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole <= 0 ? 0 : 100.0 * part / whole);
    }

    /// Returns `1,204`, for example.
    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /// Returns `1 call` or `3 calls`, for example.
    static String calls(long count) {
        return count(count) + (count == 1 ? " call" : " calls");
    }

    /// Returns `once` or `3 times`, for example.
    static String times(long count) {
        return count == 1 ? "once" : count(count) + " times";
    }
}
