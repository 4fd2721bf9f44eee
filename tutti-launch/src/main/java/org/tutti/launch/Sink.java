package org.tutti.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/// The launcher's stdout or stderr, a rank's file, or what a caller of the launcher reads: many relays
/// write to it, each whole lines at a time.
final class Sink {
    private final OutputStream out;
    private byte[] batch = new byte[8192];
    private boolean closed;

    private Sink(OutputStream out) {
        this.out = out;
    }

    static Sink stdout() {
        return new Sink(new FileOutputStream(FileDescriptor.out));
    }

    static Sink stderr() {
        return new Sink(new FileOutputStream(FileDescriptor.err));
    }

    static Sink of(OutputStream stream) {
        return new Sink(stream);
    }

    /// @param more whether what is there stays
    static Sink file(Path file, boolean more) throws IOException {
        return new Sink(new FileOutputStream(file.toFile(), more));
    }

    /// Writes lines, each with the prefix. False once nobody reads any more.
    synchronized boolean write(byte[] prefix, byte[] lines, int from, int to) {
        if (closed) return false;
        try {
            if (prefix.length == 0) {
                out.write(lines, from, to - from);
                out.flush();
                return true;
            }
            int length = 0;
            for (int at = from; at < to; ) {
                int end = LineRelay.lineEnd(lines, at, to);
                length = append(length, prefix, 0, prefix.length);
                length = append(length, lines, at, end);
                at = end;
            }
            out.write(batch, 0, length);
            out.flush();
            return true;
        } catch (IOException e) { // a broken pipe, a full disk
            closed = true;
            return false;
        }
    }

    private int append(int length, byte[] bytes, int from, int to) {
        int sum = length + to - from;
        if (sum > batch.length) batch = java.util.Arrays.copyOf(batch, Math.max(sum, 2 * batch.length));
        System.arraycopy(bytes, from, batch, length, to - from);
        return sum;
    }

    synchronized void close() {
        closed = true;
        try {
            out.close();
        } catch (IOException e) {
            // what was written is written
        }
    }
}
