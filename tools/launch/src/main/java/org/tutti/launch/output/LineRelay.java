package org.tutti.launch.output;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Reads one stream of a process and forwards whole lines, so that the lines of ranks do not mix.
///
/// A line is buffered until it is complete. An incomplete line is forwarded in four cases: no byte has arrived
/// for [#QUIET_NANOS] (a prompt), the line contains a `\r` (a progress bar; the text after the last `\r` is
/// retained), the buffer is full and cannot grow, or the stream has ended. The relay does not add or remove
/// bytes.
///
/// The receiver may refuse bytes while a different writer has an unfinished line. This relay then continues to
/// read until the buffer is full and cannot grow, so that the process does not block. The receiver cannot refuse
/// the bytes of such a buffer.
public abstract class LineRelay implements Runnable {
    /// The default limit of the size of the buffer.
    static final int LONGEST_BYTES = 1 << 20;

    private static final int STACK_BYTES = 256 << 10;
    private static final int FIRST_BYTES = 8 << 10;
    private static final int POLL_MILLIS = 20;
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final InputStream in;
    private final Thread thread;
    private final RelayMemory memory;
    private byte[] buffer;

    /// The number of bytes in the buffer; none of these has been passed on.
    private int length;

    /// The number of buffered bytes up to the last line end, or up to a later `\r`.
    private int complete;

    private long readAtNanos;

    private volatile boolean reading;
    private volatile long readingSinceNanos;
    private volatile @Nullable Throwable failure;

    public LineRelay(InputStream in, String name) {
        this(in, name, new RelayMemory(LONGEST_BYTES, Long.MAX_VALUE));
    }

    /// @param memory limits the buffer
    LineRelay(InputStream in, String name, RelayMemory memory) {
        this.in = in;
        this.memory = memory;
        this.buffer = new byte[Math.min(FIRST_BYTES, memory.longestBytes())];
        this.thread =
                Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name(name).unstarted(this);
    }

    /// Accepts whole lines, each with the `\n`, an incomplete line, or whole lines followed by an incomplete
    /// line.
    ///
    /// @param urgent whether the bytes must be accepted
    /// @return false to refuse the bytes; the relay offers refused bytes again later
    protected abstract boolean lines(byte[] bytes, int from, int to, boolean urgent);

    /// Whether an incomplete line may be passed on without the rest.
    protected boolean mayCut(byte[] bytes, int from, int to) {
        return true;
    }

    /// Called when the stream has ended and all bytes have been passed on.
    protected void ended() {}

    final void start() {
        thread.start();
    }

    @Override
    public final void run() {
        try {
            while (true) {
                int due = due();
                if (due > 0 && pass(due)) continue;
                if (length == buffer.length && !grow()) continue;
                if (length > 0 && !hasMore(due > 0)) continue;
                if (!read()) break;
            }
        } catch (IOException e) {
            // the stream was closed during the read, because the process has ended; all output has been read
        }
        while (length > 0 && !pass(length)) pause();
        ended();
    }

    /// Returns the number of bytes to pass on now.
    private int due() throws IOException {
        if (complete > 0) return complete;
        if (length == 0) return 0;
        if (isFull()) return length;
        if (System.nanoTime() - readAtNanos < QUIET_NANOS) return 0;
        // more may have arrived while this thread was busy
        boolean quiet = in.available() == 0;
        return quiet && mayCut(buffer, 0, length) ? length : 0;
    }

    private boolean isFull() {
        return length == buffer.length && !memory.mayGrow(buffer.length);
    }

    /// Returns whether the caller should read now. If not, this method has waited, and the result of [#due] may
    /// have changed.
    ///
    /// @param refused whether the receiver has refused the bytes that are due
    private boolean hasMore(boolean refused) throws IOException {
        if (!refused && !mayCut(buffer, 0, length)) return true;
        if (in.available() > 0) return true;
        pause();
        return in.available() > 0;
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            // a shorter pause
        }
    }

    private boolean grow() {
        int more = memory.grow(buffer.length);
        if (more > 0) buffer = Arrays.copyOf(buffer, buffer.length + more);
        return more > 0;
    }

    private boolean read() throws IOException {
        if (length == 0 && memory.isBorrowed(buffer.length) && in.available() == 0) {
            memory.giveBack(buffer.length);
            buffer = new byte[FIRST_BYTES];
        }
        readingSinceNanos = System.nanoTime();
        reading = true;
        int n;
        try {
            n = in.read(buffer, length, buffer.length - length);
        } finally {
            reading = false;
        }
        if (n < 0) return false;
        readAtNanos = System.nanoTime();
        length += n;
        int end = after('\n', length - n);
        if (end > 0) complete = end;
        int piece = after('\r', Math.max(complete, length - n));
        if (piece > 0 && mayCut(buffer, complete, piece)) complete = piece;
        return true;
    }

    /// Searches the buffer from `from` on for the last character `end`. Returns the offset that follows it; 0 if
    /// `end` was not found.
    private int after(char end, int from) {
        for (int i = length; i > from; i--) if (buffer[i - 1] == end) return i;
        return 0;
    }

    /// Offers bytes; returns false if refused. An error of the receiver must not stop the writing process.
    private boolean pass(int to) {
        try {
            if (!lines(buffer, 0, to, isFull())) return false;
        } catch (Throwable t) {
            if (failure == null) failure = t;
        }
        System.arraycopy(buffer, to, buffer, 0, length - to);
        length -= to;
        complete = Math.max(0, complete - to);
        return true;
    }

    /// Returns why bytes could not be passed on; null if there was no failure.
    final @Nullable Throwable failure() {
        return failure;
    }

    /// Returns the offset after the line that begins at `from`, including the `\n`; `to` if the line is
    /// incomplete.
    protected static int lineEnd(byte[] buffer, int from, int to) {
        for (int i = from; i < to; i++) if (buffer[i] == '\n') return i + 1;
        return to;
    }

    /// Waits until all bytes are forwarded, however slow the receiver is. A process outside of the job may keep
    /// the pipe open forever; in this case, this method returns when no byte has arrived for `quietNanos`.
    final void drain(long quietNanos) throws InterruptedException {
        while (thread.isAlive()) {
            thread.join(POLL_MILLIS);
            if (reading && System.nanoTime() - readingSinceNanos > quietNanos) return;
        }
    }
}
