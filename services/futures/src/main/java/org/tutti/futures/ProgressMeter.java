package org.tutti.futures;

import java.util.Locale;

/// Prints the progress of a map on stderr, every ten seconds and at the end:
///
///     lines  412/960  43 %  1.2 k/s  0:00:04 left  on 4 workers
final class ProgressMeter {
    private static final long EVERY_NANOS = 10_000_000_000L;

    private final String label;
    private final long size;
    private final int workers;
    private final long beginNanos = System.nanoTime();
    private long printedNanos = beginNanos;
    private long done;

    ProgressMeter(String label, long size, int workers) {
        this.label = label;
        this.size = size;
        this.workers = workers;
    }

    void oneMore() {
        done++;
        long now = System.nanoTime();
        if (done != size && now - printedNanos < EVERY_NANOS) return;
        printedNanos = now;
        System.err.println(line(now));
    }

    private String line(long now) {
        return line(label, done, size, workers, Math.max(1e-9, (now - beginNanos) / 1e9));
    }

    /// @param size negative if unknown
    static String line(String label, long done, long size, int workers, double seconds) {
        double rate = done / seconds;
        String speed = rate >= 1e6
                ? format("%.1f M/s", rate / 1e6)
                : rate >= 1e3 ? format("%.1f k/s", rate / 1e3) : format("%.1f /s", rate);
        String how = size < 0
                ? format("%s  %d", label, done)
                : format("%s  %d/%d  %d %%", label, done, size, 100 * done / Math.max(1, size));
        String rest = size < 0 ? "" : "  " + time((long) ((size - done) / rate)) + (done == size ? "" : " left");
        if (done == size) rest = "  in " + time((long) seconds);
        return how + "  " + speed + rest + "  on " + workers + (workers == 1 ? " worker" : " workers");
    }

    private static String time(long seconds) {
        return format("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    private static String format(String text, Object... values) {
        return String.format(Locale.ROOT, text, values);
    }
}
