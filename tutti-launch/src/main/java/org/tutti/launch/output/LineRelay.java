package org.tutti.launch.output;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Reads what a process writes and passes it on by whole lines, so that the lines of ranks do not mix. A
/// last line without an end gets one.
///
/// A piece of a line is passed on before its end comes when it has waited for [#HELD_NANOS], as a prompt
/// does, when it ends with `\r`, as a progress bar does, and when it is as long as [#LONGEST_BYTES].
public abstract class LineRelay implements Runnable {
    static final int LONGEST_BYTES = 64 << 10;

    private static final int STACK_BYTES = 256 << 10;
    private static final int FIRST_BYTES = 8 << 10;
    private static final int LOOK_MILLIS = 20;
    private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final InputStream in;
    private final Thread thread;
    private byte[] buffer = new byte[FIRST_BYTES];

    /// How much of the buffer is not passed on yet, and since when.
    private int length;

    private long heldSinceNanos;

    /// Whether the last byte that was passed on ended a line.
    private boolean atLineStart = true;

    private volatile boolean reading;
    private volatile long readingSinceNanos;
    private volatile @Nullable Throwable failure;

    public LineRelay(InputStream in, String name) {
        this.in = in;
        this.thread =
                Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name(name).unstarted(this);
    }

    /// Takes whole lines, each with its `\n`, or a piece of a line.
    protected abstract void lines(byte[] bytes, int from, int to);

    /// Whether a piece of a line, of less than [#LONGEST_BYTES], may be passed on without the rest.
    protected boolean mayCut(byte[] bytes, int from, int to) {
        return true;
    }

    final void start() {
        thread.start();
    }

    @Override
    public final void run() {
        try {
            while (true) {
                if (length > 0 && !more()) pass(length);
                if (length == buffer.length) makeRoom();
                int n = read();
                if (n < 0) break;
                if (length == 0) heldSinceNanos = System.nanoTime();
                length += n;
                passLines(length - n);
            }
        } catch (IOException e) {
            // closed under the reader when its process ended: what it wrote was read before
        }
        if (length == 0 && atLineStart) return;
        if (length == buffer.length) pass(length);
        buffer[length++] = '\n';
        pass(length);
    }

    /// Waits until there is more to read, unless what is held has waited long enough.
    private boolean more() throws IOException {
        if (!mayCut(buffer, 0, length)) return true;
        while (in.available() == 0) {
            if (System.nanoTime() - heldSinceNanos >= HELD_NANOS) return false;
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                return false;
            }
        }
        return true;
    }

    private void makeRoom() {
        if (buffer.length < LONGEST_BYTES) buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        else pass(length);
    }

    private int read() throws IOException {
        readingSinceNanos = System.nanoTime();
        reading = true;
        try {
            return in.read(buffer, length, buffer.length - length);
        } finally {
            reading = false;
        }
    }

    /// Passes on what has come to an end since `from`.
    private void passLines(int from) {
        int end = after('\n', from);
        if (end > 0) pass(end);
        int piece = after('\r', Math.max(0, from - end));
        if (piece > 0 && mayCut(buffer, 0, piece)) pass(piece);
    }

    /// Behind the last `end` from `from` on; 0 if there is none.
    private int after(char end, int from) {
        for (int i = length; i > from; i--) if (buffer[i - 1] == end) return i;
        return 0;
    }

    /// Whatever happens to it there, the process must be able to write on.
    private void pass(int to) {
        atLineStart = buffer[to - 1] == '\n';
        try {
            lines(buffer, 0, to);
        } catch (Throwable t) {
            if (failure == null) failure = t;
        }
        System.arraycopy(buffer, to, buffer, 0, length - to);
        length -= to;
        heldSinceNanos = System.nanoTime();
    }

    /// Why something could not be passed on; null while all could.
    final @Nullable Throwable failure() {
        return failure;
    }

    /// Where the line that begins at `from` ends, its `\n` included.
    protected static int lineEnd(byte[] buffer, int from, int to) {
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
