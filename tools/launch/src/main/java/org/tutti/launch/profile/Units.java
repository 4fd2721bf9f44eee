package org.tutti.launch.profile;

import java.util.Locale;

/// Formats times, sizes and counts for output: three digits.
final class Units {
    private static final String[] TIMES = {"ns", "µs", "ms", "s"};
    private static final String[] LENGTHS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Units() {}

    /// `50.1 ms`.
    static String time(long nanos) {
        double time = nanos;
        int unit = 0;
        for (; unit < TIMES.length - 1 && time >= 999.5; unit++) time /= 1000;
        return digits(time, unit == 0) + " " + TIMES[unit];
    }

    /// `4.00 MiB`.
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

    /// `12.3 %`.
    static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole <= 0 ? 0 : 100.0 * part / whole);
    }

    /// `1,204`.
    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /// `1 call`, `3 calls`.
    static String calls(long count) {
        return count(count) + (count == 1 ? " call" : " calls");
    }

    /// `once`, `3 times`.
    static String times(long count) {
        return count == 1 ? "once" : count(count) + " times";
    }
}
