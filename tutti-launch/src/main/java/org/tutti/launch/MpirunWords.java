package org.tutti.launch;

import java.nio.charset.StandardCharsets;

/// What a native MPI's launcher says about the end of ranks, in its own words. Knows those of Open MPI 4 and 5 and of
/// MPICH's Hydra.
final class MpirunWords {
    /// Marks of the lines worth reading, to skip all others without making strings of them.
    private static final String[] MARKS = {
        "noticed that process rank ", "Process name: [", "=   RANK ", "=   EXIT CODE: ", "Exit code: ", "(signal "
    };
    private static final int SIGNALLED = 128;

    private int rank = -1;
    private int code = -1;

    /// The rank that it says was first to fail; -1 if it named none.
    synchronized int rank() {
        return rank;
    }

    /// That rank's exit code, 128 and more for a signal; -1 if it did not say.
    synchronized int code() {
        return code;
    }

    synchronized void hear(byte[] buffer, int from, int to) {
        if (to - from > 400) return;
        String line = new String(buffer, from, to - from, StandardCharsets.UTF_8);
        for (String mark : MARKS) {
            int at = line.indexOf(mark);
            if (at < 0) continue;
            switch (mark) {
                case "noticed that process rank " -> {
                    first(number(line, at + mark.length()));
                    int signal = line.indexOf("on signal ");
                    if (signal >= 0) signalled(number(line, signal + "on signal ".length()));
                }
                case "Process name: [" -> first(number(line, line.lastIndexOf(',') + 1));
                case "=   RANK " -> first(number(line, at + mark.length()));
                case "(signal " -> signalled(number(line, at + mark.length()));
                default -> exited(number(line, at + mark.length()));
            }
        }
    }

    private void first(int who) {
        if (rank < 0) rank = who;
    }

    private void exited(int with) {
        if (code < 0) code = with;
    }

    private void signalled(int signal) {
        if (signal > 0) code = SIGNALLED + signal;
    }

    /// The number at `at`, after blanks; -1 if there is none.
    static int number(String text, int at) {
        while (at < text.length() && text.charAt(at) == ' ') at++;
        int end = at;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') end++;
        return end == at || end > at + 9 ? -1 : Integer.parseInt(text.substring(at, end));
    }
}
