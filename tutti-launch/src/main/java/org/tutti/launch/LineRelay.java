package org.tutti.launch;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// Reads what a process writes and passes it on by whole lines, so that the lines of ranks never mix. A last line
/// without an end gets one.
abstract class LineRelay implements Runnable {
    private static final int STACK_BYTES = 256 << 10;
    private static final int LOOK_MILLIS = 20;

    private final InputStream in;
    private final Thread thread;
    private volatile boolean reading;
    private volatile long readingSinceNanos;

    LineRelay(InputStream in, String name) {
        this.in = in;
        this.thread =
                Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name(name).unstarted(this);
    }

    /// Takes one or more whole lines, each with its `\n`.
    abstract void lines(byte[] buffer, int from, int to);

    final void start() {
        thread.start();
    }

    @Override
    public final void run() {
        byte[] buffer = new byte[8192];
        int length = 0;
        try {
            while (true) {
                if (length == buffer.length) buffer = Arrays.copyOf(buffer, 2 * length);
                int n = read(buffer, length);
                if (n < 0) break;
                int end = afterLastLine(buffer, length, length + n);
                length += n;
                if (end == 0) continue;
                lines(buffer, 0, end);
                System.arraycopy(buffer, end, buffer, 0, length - end);
                length -= end;
            }
        } catch (IOException e) {
            // closed under the reader when its process ended: what it wrote was read before
        }
        if (length == 0) return;
        if (length == buffer.length) buffer = Arrays.copyOf(buffer, length + 1);
        buffer[length++] = '\n';
        lines(buffer, 0, length);
    }

    private int read(byte[] buffer, int at) throws IOException {
        readingSinceNanos = System.nanoTime();
        reading = true;
        try {
            return in.read(buffer, at, buffer.length - at);
        } finally {
            reading = false;
        }
    }

    private static int afterLastLine(byte[] buffer, int from, int to) {
        for (int i = to; i > from; i--) if (buffer[i - 1] == '\n') return i;
        return 0;
    }

    /// Where the line that begins at `from` ends, its `\n` included.
    static int lineEnd(byte[] buffer, int from, int to) {
        for (int i = from; i < to; i++) if (buffer[i] == '\n') return i + 1;
        return to;
    }

    /// Waits until everything is passed on, however slow the reader at the other end is. A process that is
    /// not ours any more may hold the pipe open for ever: it is not waited for when nothing came for
    /// `quietNanos`.
    final void drain(long quietNanos) throws InterruptedException {
        while (thread.isAlive()) {
            thread.join(LOOK_MILLIS);
            if (reading && System.nanoTime() - readingSinceNanos > quietNanos) return;
        }
    }
}
