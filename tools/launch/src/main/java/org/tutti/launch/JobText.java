package org.tutti.launch;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.BitSet;

/// Text for ranks, exit codes, errors of files, and times.
public final class JobText {
    private JobText() {}

    private static final int FIRST_SIGNAL_CODE = 128;
    private static final String[] SIGNALS = {
        "", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"
    };

    /// Returns `rank 3`, `ranks 0, 1 and 3`, `ranks 0-2 and 4`.
    public static String ranks(BitSet ranks) {
        return (ranks.cardinality() == 1 ? "rank " : "ranks ") + list(ranks);
    }

    /// Returns `ranks 0 and 1 were`, `rank 0 was`.
    public static String were(BitSet ranks) {
        return ranks(ranks) + (ranks.cardinality() == 1 ? " was" : " were");
    }

    public static String wait(BitSet ranks) {
        return ranks(ranks) + (ranks.cardinality() == 1 ? " waits" : " wait");
    }

    private static String list(BitSet ranks) {
        StringBuilder text = new StringBuilder();
        int lastComma = -1;
        for (int from = ranks.nextSetBit(0); from >= 0; ) {
            int to = ranks.nextClearBit(from);
            if (to == from + 2) to--; // two adjacent ranks are not a range
            if (text.length() > 0) {
                lastComma = text.length();
                text.append(", ");
            }
            text.append(from);
            if (to > from + 1) text.append('-').append(to - 1);
            from = ranks.nextSetBit(to);
        }
        if (lastComma >= 0) text.replace(lastComma, lastComma + 2, " and ");
        return text.toString();
    }

    /// Returns a description of an exit code.
    public static String exit(int code) {
        int signal = code - FIRST_SIGNAL_CODE;
        if (signal == 9) return "it was killed (SIGKILL; the kernel does so when memory runs out)";
        if (signal > 0 && signal < SIGNALS.length) return "it was ended by " + SIGNALS[signal];
        return "it exited";
    }

    /// Returns the reason why a file cannot be used. It is added to Java's message, which in the most frequent
    /// cases contains only the name of the file.
    public static String reason(Exception e) {
        String text = String.valueOf(e.getMessage());
        if (!(e instanceof FileSystemException failed) || failed.getReason() != null) return text;
        return switch (e) {
            case NoSuchFileException _ -> text + ": no such file or directory";
            case AccessDeniedException _ -> text + ": permission denied";
            case FileAlreadyExistsException _ -> text + ": a file with this name exists";
            default -> e.toString();
        };
    }

    /// Returns a time in tenths of a second, as in `0.6 s`; if it is less than 50 ms, with one significant digit,
    /// as in `0.0001 s`.
    public static String seconds(long nanos) {
        if (nanos > 0 && nanos < 50_000_000) {
            return BigDecimal.valueOf(nanos, 9)
                            .round(new MathContext(1))
                            .stripTrailingZeros()
                            .toPlainString() + " s";
        }
        long tenths = (nanos + 50_000_000) / 100_000_000;
        return tenths / 10 + "." + tenths % 10 + " s";
    }
}
