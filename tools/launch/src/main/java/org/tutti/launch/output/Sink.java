package org.tutti.launch.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.Terminal;

/// The launcher's stdout or stderr, a rank's file, or a caller's stream, shared by several writers. Each write
/// consists of whole lines, an incomplete line, or whole lines followed by an incomplete line.
///
/// The writer of an unfinished line owns the sink for [#OWNED_NANOS]. Other writers are refused unless the
/// write is urgent. A writer that interrupts an unfinished line begins a new line.
final class Sink {
    /// Time for which an unfinished line excludes other writers.
    static final long OWNED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int NO_WRITER = -2, FINISHED_WRITER = -3;
    private static final int FIRST_BYTES = 8 << 10;
    private static final byte[] LINE_END = {'\n'};

    /// The launcher itself as a writer; relays are numbered from 0.
    static final int LAUNCHER = -1;

    /// The result of a write.
    enum Result {
        WRITTEN,
        /// A different writer has an unfinished line.
        REFUSED,
        /// The sink cannot be written, now or since an earlier call.
        LOST
    }

    private final OutputStream out;

    /// The name in error texts.
    private final String name;

    /// The file descriptor if this is the launcher's stdout or stderr, to check whether a process still reads
    /// it; otherwise -1.
    private final int descriptor;

    /// Whether the bytes of all relays are written unchanged, because only one rank writes to this sink.
    private final boolean exact;

    private byte[] batch = new byte[FIRST_BYTES];
    private int length;

    /// The writer of the unfinished line with which the output ends at present.
    private int openBy = NO_WRITER;

    private long openedAtNanos;

    private int lastWriter = NO_WRITER;

    /// Whether a writer has been refused during the unfinished line of the current writer. If so, further
    /// unfinished lines of the current writer do not extend [#OWNED_NANOS].
    private boolean isAwaited;

    private boolean closed;
    private @Nullable String failure;

    private Sink(OutputStream out, String name, int descriptor, boolean exact) {
        this.out = out;
        this.name = name;
        this.descriptor = descriptor;
        this.exact = exact;
    }

    static Sink stdout(boolean exact) {
        return new Sink(new FileOutputStream(FileDescriptor.out), "stdout", 1, exact);
    }

    static Sink stderr(boolean exact) {
        return new Sink(new FileOutputStream(FileDescriptor.err), "stderr", 2, exact);
    }

    /// @param name the name of the stream in messages
    static Sink of(OutputStream stream, String name, boolean exact) {
        return new Sink(stream, name, -1, exact);
    }

    /// @param more whether to append
    static Sink file(Path file, boolean more) throws IOException {
        return new Sink(new FileOutputStream(file.toFile(), more), file.toString(), -1, true);
    }

    /// Writes bytes. Writes the prefix before each line that begins in these bytes.
    ///
    /// @param writer a relay, or [#LAUNCHER]
    /// @param urgent whether to interrupt an unfinished line immediately
    synchronized Result write(int writer, byte[] prefix, byte[] lines, int from, int to, boolean urgent) {
        if (closed) return Result.LOST;
        if (from == to) return Result.WRITTEN;
        boolean goesOn = openBy == writer || exact && openBy >= 0 && writer >= 0;
        boolean isOwned = openBy != NO_WRITER && openBy != FINISHED_WRITER && !goesOn;
        long now = System.nanoTime();
        if (isOwned && !urgent && now - openedAtNanos < OWNED_NANOS) {
            isAwaited = true;
            return Result.REFUSED;
        }
        if (writer != lastWriter) isAwaited = false;
        lastWriter = writer;
        try {
            if (prefix.length == 0 && (goesOn || openBy == NO_WRITER)) {
                out.write(lines, from, to - from);
            } else {
                gather(goesOn, prefix, lines, from, to);
                out.write(batch, 0, length);
            }
            out.flush();
        } catch (IOException e) {
            closed = true;
            if (descriptor < 0 || !Terminal.hasReader(descriptor)) fail(e);
            return Result.LOST;
        }
        boolean isLineEnd = lines[to - 1] == '\n';
        boolean isSameLine = goesOn && LineRelay.lineEnd(lines, from, to) == to;
        if (!isLineEnd && !isSameLine && !isAwaited) openedAtNanos = now;
        openBy = isLineEnd ? NO_WRITER : writer;
        return Result.WRITTEN;
    }

    /// @param goesOn whether the bytes continue an unfinished line of this writer
    private void gather(boolean goesOn, byte[] prefix, byte[] lines, int from, int to) {
        length = 0;
        if (!goesOn && openBy != NO_WRITER) append(LINE_END, 0, 1);
        for (int at = from; at < to; ) {
            int end = LineRelay.lineEnd(lines, at, to);
            if (at > from || !goesOn) append(prefix, 0, prefix.length);
            append(lines, at, end);
            at = end;
        }
        if (batch.length > LineRelay.LONGEST_BYTES && length < FIRST_BYTES) batch = Arrays.copyOf(batch, length);
    }

    private void append(byte[] bytes, int from, int to) {
        int sum = length + to - from;
        if (sum > batch.length) batch = Arrays.copyOf(batch, Math.max(sum, 2 * batch.length));
        System.arraycopy(bytes, from, batch, length, to - from);
        length = sum;
    }

    /// Removes the writer, so that the unfinished line does not block other writers.
    synchronized void leave(int writer) {
        if (openBy == writer && !exact) openBy = FINISHED_WRITER;
    }

    /// Ends an unfinished line. All writers have ended.
    synchronized void endLine() {
        if (openBy == NO_WRITER || exact) return;
        openBy = NO_WRITER;
        write(LAUNCHER, new byte[0], LINE_END, 0, 1, true);
    }

    private void fail(IOException e) {
        failure = name + " cannot be written: " + e.getMessage();
    }

    /// Returns the reason why this sink cannot be written; only one call returns it. Returns null if the sink can
    /// be written, if no process reads it any more, and in later calls.
    synchronized @Nullable String takeFailure() {
        String text = failure;
        failure = null;
        return text;
    }

    synchronized void close() {
        if (closed) return;
        closed = true;
        try {
            out.close();
        } catch (IOException e) { // some file systems report a full disk only now
            fail(e);
        }
    }
}
