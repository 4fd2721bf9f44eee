package org.tutti.launch.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.Terminal;

/// The launcher's stdout or stderr, a rank's file, or what a caller of the launcher reads: many relays
/// write to it, each whole lines at a time, or pieces of a line, which no other writer goes on with.
final class Sink {
    private static final int NOBODY = -2;
    private static final int FIRST_BYTES = 8 << 10;

    /// The launcher itself, among the ranks.
    static final int LAUNCHER = -1;

    private final OutputStream out;

    /// What it is called where it cannot be written.
    private final String name;

    /// Of this process, which somebody may read; else -1.
    private final int descriptor;

    private byte[] batch = new byte[FIRST_BYTES];
    private int length;

    /// Who has written the beginning of a line and not its end.
    private int openBy = NOBODY;

    private boolean closed;
    private @Nullable String failure;

    private Sink(OutputStream out, String name, int descriptor) {
        this.out = out;
        this.name = name;
        this.descriptor = descriptor;
    }

    static Sink stdout() {
        return new Sink(new FileOutputStream(FileDescriptor.out), "stdout", 1);
    }

    static Sink stderr() {
        return new Sink(new FileOutputStream(FileDescriptor.err), "stderr", 2);
    }

    /// @param name of the stream, for a person
    static Sink of(OutputStream stream, String name) {
        return new Sink(stream, name, -1);
    }

    /// @param more whether what is there stays
    static Sink file(Path file, boolean more) throws IOException {
        return new Sink(new FileOutputStream(file.toFile(), more), file.toString(), -1);
    }

    /// Writes lines, each with the prefix, and a piece of a line. False when they cannot be written, now or
    /// since an earlier time.
    ///
    /// @param writer a rank, or [#LAUNCHER]
    synchronized boolean write(int writer, byte[] prefix, byte[] lines, int from, int to) {
        if (closed) return false;
        if (from == to) return true;
        try {
            boolean goesOn = openBy == writer;
            if (prefix.length == 0 && (goesOn || openBy == NOBODY)) {
                out.write(lines, from, to - from);
            } else {
                gather(goesOn, prefix, lines, from, to);
                out.write(batch, 0, length);
            }
            out.flush();
            openBy = lines[to - 1] == '\n' ? NOBODY : writer;
            return true;
        } catch (IOException e) {
            closed = true;
            if (descriptor < 0 || !Terminal.hasReader(descriptor)) fail(e);
            return false;
        }
    }

    /// @param goesOn whether the first line was begun before, by this writer
    private void gather(boolean goesOn, byte[] prefix, byte[] lines, int from, int to) {
        length = 0;
        if (!goesOn && openBy != NOBODY) append(new byte[] {'\n'}, 0, 1);
        for (int at = from; at < to; ) {
            int end = LineRelay.lineEnd(lines, at, to);
            if (at > from || !goesOn) append(prefix, 0, prefix.length);
            append(lines, at, end);
            at = end;
        }
    }

    private void append(byte[] bytes, int from, int to) {
        int sum = length + to - from;
        if (sum > batch.length) batch = Arrays.copyOf(batch, Math.max(sum, 2 * batch.length));
        System.arraycopy(bytes, from, batch, length, to - from);
        length = sum;
    }

    private void fail(IOException e) {
        failure = name + " cannot be written: " + e.getMessage();
    }

    /// Why it cannot be written, once; null if it can, or if only nobody reads any more.
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
        } catch (IOException e) { // some file systems say only now that there is no room
            fail(e);
        }
    }
}
