package org.tutti.bench.report;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// Where a measurement is watched: lines on stdout and, on a terminal, one line of what is going on on
/// stderr, which gives way to them.
public final class Screen {
    private static final String CLEAR = "\r\033[K";

    private final PrintStream out, err;
    private final boolean terminal;
    private boolean shown;

    /// @param terminal whether stderr is one
    public Screen(PrintStream out, PrintStream err, boolean terminal) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    /// One that shows nothing, for measurements that are part of something larger.
    public static Screen none() {
        PrintStream nothing = new PrintStream(java.io.OutputStream.nullOutputStream());
        return new Screen(nothing, nothing, false);
    }

    /// A line for good.
    public synchronized void print(String line) {
        clear();
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    /// What is going on; only on a terminal.
    public synchronized void now(String what) {
        if (!terminal) return;
        err.print(CLEAR + what + " \u2026");
        err.flush();
        shown = true;
    }

    /// Takes the line of progress away.
    public synchronized void clear() {
        if (!shown) return;
        err.print(CLEAR);
        err.flush();
        shown = false;
    }
}
