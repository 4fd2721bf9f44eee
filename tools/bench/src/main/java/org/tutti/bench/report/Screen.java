package org.tutti.bench.report;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// The display of a measurement: lines on stdout and, on a terminal, a progress line on stderr, which is
/// removed before other lines are printed.
public final class Screen {
    private static final String CLEAR = "\r\033[K";

    private final PrintStream out, err;
    private final boolean terminal;
    private boolean shown;

    /// @param terminal whether stderr is a terminal
    public Screen(PrintStream out, PrintStream err, boolean terminal) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    /// Returns a screen without output, for measurements that are part of a comparison.
    public static Screen none() {
        PrintStream nothing = new PrintStream(java.io.OutputStream.nullOutputStream());
        return new Screen(nothing, nothing, false);
    }

    /// Prints a permanent line.
    public synchronized void print(String line) {
        clear();
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    /// Shows the progress; only on a terminal.
    public synchronized void now(String what) {
        if (!terminal) return;
        err.print(CLEAR + what + " \u2026");
        err.flush();
        shown = true;
    }

    /// Prints a line about a long step on stderr; on a terminal [#now] shows the progress instead.
    public synchronized void step(String what) {
        if (!terminal) err.println(what);
    }

    /// Removes the progress line.
    public synchronized void clear() {
        if (!shown) return;
        err.print(CLEAR);
        err.flush();
        shown = false;
    }
}
