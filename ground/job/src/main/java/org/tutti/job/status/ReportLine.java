package org.tutti.job.status;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// A report from a rank that is not on the launcher's machine and therefore has no access to the job status. It
/// is a line on the rank's stderr, which native launchers forward and Tutti's launcher removes.
///
///     ␞tutti exit RANK CODE HOST            by the rank's shell
///     ␞tutti state RANK STATE HOST PID
///     ␞tutti terminates RANK PID HOST       the process starts to terminate, and the rank has not left
///     ␞tutti fail RANK CODE HOST TEXT       lines of the text are separated by ␟
///     ␞tutti waits RANK CLOCK HOST PAGE     the threads' waits: `WaitPage.bytes` in base64
///     ␞tutti does RANK MOVES HOST TEXT      number of calls; activity outside of calls
///     ␞tutti calls RANK CLOCK HOST TEXT     the last operations: `FlightExcerpt.bytes` in base64
///
/// @param verb the report's kind, after `tutti`
/// @param number exit code, pid, nanoseconds of the rank's clock, or number of calls
/// @param text a state's name, a failure's reason, a page, a rank's activity, or an excerpt; may be empty
public record ReportLine(String verb, int rank, long number, String host, String text) {
    /// A byte that programs do not normally write.
    public static final byte MARK = 0x1e;

    private static final String BEGIN = "\u001etutti ";
    private static final char NEW_LINE = '\u001f';

    /// The format for the shell's `printf`, with the arguments rank, code and host.
    public static final String EXIT = "\\036tutti exit %s %s %s\\n";

    /// The format for the shell's `printf`, with the arguments rank, code, host and reason.
    public static final String FAIL = "\\036tutti fail %s %s %s %s\\n";

    private static final int WORDS = 6;

    /// The maximum length of a line in bytes. It is less than PIPE_BUF, so that a line is written atomically
    /// and is not mixed with lines of other ranks.
    private static final int LONGEST = 3500;

    public static void state(int rank, JobStatus.State state) {
        write("state " + rank + " " + state + " " + Host.name() + " "
                + ProcessHandle.current().pid());
    }

    public static void terminates(int rank) {
        write("terminates " + rank + " " + ProcessHandle.current().pid() + " " + Host.name());
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
        // System.err is not used, because the program may have redirected it
        FileOutputStream stderr = new FileOutputStream(FileDescriptor.err);
        try {
            stderr.write(line);
        } catch (IOException e) {
            // the reader has closed the stream
        }
    }

    /// Parses the line that begins with the mark at `from`; returns null for other lines.
    public static @Nullable ReportLine read(byte[] bytes, int from, int to) {
        int end = to > from && bytes[to - 1] == '\n' ? to - 1 : to;
        String line = new String(bytes, from, end - from, StandardCharsets.UTF_8);
        if (!line.startsWith(BEGIN)) return null;
        String[] words = line.split(" ", WORDS);
        try {
            int rank = Integer.parseInt(words[2]);
            return switch (words[1]) {
                case "exit" -> new ReportLine("exit", rank, Integer.parseInt(words[3]), words[4], "");
                case "terminates" -> new ReportLine("terminates", rank, Long.parseLong(words[3]), words[4], "");
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
            return null; // incomplete, or output of a program
        }
    }
}
