package org.tutti.bench;

import java.io.PrintStream;
import java.util.Locale;

/// OSU's columns.
final class OsuTable {
    private final PrintStream out;

    OsuTable(PrintStream out, String title, String column) {
        this.out = out;
        out.println("# " + title);
        out.printf(Locale.ROOT, "%-10s%18s%n", "# Size", column);
    }

    void row(long bytes, double micros) {
        out.printf(Locale.ROOT, "%-10d%18.2f%n", bytes, micros);
        out.flush();
    }
}
