package org.tutti.job.status;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// What a rank on another machine than its launcher's tells it, where the job's board is out of reach: a
/// line of the rank's stderr, which native launchers bring along, and which Tutti's takes out.
///
///     ␞tutti exit RANK CODE HOST            by the rank's shell
///     ␞tutti state RANK STATE HOST PID
///     ␞tutti fail RANK CODE HOST TEXT       lines of the text are divided by ␟
///     ␞tutti waits RANK CLOCK HOST PAGE     what its threads wait for: `WaitPage.bytes` in base64
///     ␞tutti does RANK MOVES HOST TEXT      how often it has called; what it does, where it does not call
///     ␞tutti calls RANK CLOCK HOST TEXT     its last operations: `FlightExcerpt.bytes` in base64
///
/// @param verb the second word
/// @param number exit code, pid, nanoseconds of the rank's clock, or how often it has called
/// @param text a state's name, a failure's reason, a page, what a rank does, or an excerpt; may be empty
public record ReportLine(String verb, int rank, long number, String host, String text) {
    /// No program writes this in its right mind.
    public static final byte MARK = 0x1e;

    private static final String BEGIN = "\u001etutti ";
    private static final char NEW_LINE = '\u001f';

    /// For the shell's `printf`: rank, code, host.
    public static final String EXIT = "\\036tutti exit %s %s %s\\n";

    /// For the shell's `printf`: rank, code, host, reason.
    public static final String FAIL = "\\036tutti fail %s %s %s %s\\n";

    private static final int WORDS = 6;

    /// So that the line is written whole, among those of other ranks: less than PIPE_BUF.
    private static final int LONGEST = 3500;

    public static void state(int rank, JobStatus.State state) {
        write("state " + rank + " " + state + " " + Host.name() + " "
                + ProcessHandle.current().pid());
    }

    public static void fail(int rank, int exitCode, String text) {
        write("fail " + rank + " " + exitCode + " " + Host.name() + " " + text.replace('\n', NEW_LINE));
    }

    static void waits(int rank, long nanos, String page) {
        write("waits " + rank + " " + nanos + " " + Host.name() + " " + page);
    }

    static void does(int rank, long moves, String text) {
        write("does " + rank + " " + moves + " " + Host.name() + " " + text.replace('\n', NEW_LINE));
    }

    static void calls(int rank, long nanos, String excerpt) {
        write("calls " + rank + " " + nanos + " " + Host.name() + " " + excerpt);
    }

    private static void write(String words) {
        byte[] utf8 = (BEGIN + words).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, LONGEST);
        while (length < utf8.length && (utf8[length] & 0xc0) == 0x80) length--;
        byte[] line = new byte[length + 1];
        System.arraycopy(utf8, 0, line, 0, length);
        line[length] = '\n';
        // not by System.err, which the program may have sent somewhere else
        FileOutputStream stderr = new FileOutputStream(FileDescriptor.err);
        try {
            stderr.write(line);
        } catch (IOException e) {
            // nobody listens any more
        }
    }

    /// Reads the line that begins with the mark at `from`; null if it is none of these.
    public static @Nullable ReportLine read(byte[] bytes, int from, int to) {
        int end = to > from && bytes[to - 1] == '\n' ? to - 1 : to;
        String line = new String(bytes, from, end - from, StandardCharsets.UTF_8);
        if (!line.startsWith(BEGIN)) return null;
        String[] words = line.split(" ", WORDS);
        try {
            int rank = Integer.parseInt(words[2]);
            return switch (words[1]) {
                case "exit" -> new ReportLine("exit", rank, Integer.parseInt(words[3]), words[4], "");
                case "state" ->
                    new ReportLine(
                            "state",
                            rank,
                            Long.parseLong(words[5]),
                            words[4],
                            JobStatus.State.valueOf(words[3]).name());
                case "fail" ->
                    new ReportLine(
                            "fail", rank, Integer.parseInt(words[3]), words[4], words[5].replace(NEW_LINE, '\n'));
                case "waits", "does", "calls" ->
                    new ReportLine(
                            words[1], rank, Long.parseLong(words[3]), words[4], words[5].replace(NEW_LINE, '\n'));
                default -> null;
            };
        } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException e) {
            return null; // cut off, or a program's own
        }
    }
}
