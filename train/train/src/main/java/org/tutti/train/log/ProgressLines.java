package org.tutti.train.log;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Progress lines of a training. On a terminal, each line replaces the previous one; elsewhere, the number of
/// lines is limited.
final class ProgressLines {
    private static final long APART_NANOS = Duration.ofSeconds(1).toNanos();
    private static final String CLEAR = "\r\033[K";

    private final PrintStream out, err;
    private final boolean terminal;
    private @Nullable String unshown;
    private boolean inPlace;
    private boolean printed;
    private long printedAtNanos;

    /// @param terminal whether `out` is a terminal
    ProgressLines(PrintStream out, PrintStream err, boolean terminal) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    static ProgressLines onStdout() {
        Console console = System.console();
        return new ProgressLines(System.out, System.err, console != null && console.isTerminal());
    }

    void show(String line, long nowNanos) {
        if (terminal) {
            out.print(CLEAR + line);
            out.flush();
            inPlace = true;
        } else if (!printed || nowNanos - printedAtNanos >= APART_NANOS) {
            out.println(line);
            printed = true;
            printedAtNanos = nowNanos;
            unshown = null;
        } else {
            unshown = line;
        }
    }

    /// Prints a permanent line, after the last progress line.
    void print(String line) {
        clear();
        showTheRest();
        out.println(line);
    }

    void warn(String line) {
        clear();
        err.println(line);
    }

    private void clear() {
        if (!inPlace) return;
        out.print(CLEAR);
        out.flush();
        inPlace = false;
    }

    /// Ends the current line on a terminal. Elsewhere, prints the last progress line if it was not printed.
    void close() {
        if (inPlace) out.println();
        inPlace = false;
        showTheRest();
    }

    private void showTheRest() {
        if (unshown != null) out.println(unshown);
        unshown = null;
    }
}
