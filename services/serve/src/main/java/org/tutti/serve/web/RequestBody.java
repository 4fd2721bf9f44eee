package org.tutti.serve.web;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// The body of a request: with a length, or in chunks (RFC 9112, 6 and 7).
final class RequestBody extends InputStream {
    /// Maximum size, in bytes, of the trailers, and of the extensions of each chunk.
    private static final int MOST_LINE = 8 << 10;

    private static final int MOST_SIZE_DIGITS = 8;

    /// Sends `100 Continue`; called before the first byte is read.
    @FunctionalInterface
    interface Begin {
        void run() throws IOException;
    }

    private final InputStream in;
    private final boolean chunked;
    private @Nullable Begin begin;
    private boolean isFirst = true;

    /// The remaining bytes of the chunk or of the body.
    private long left;

    private boolean ended;

    RequestBody(InputStream in, boolean chunked, long length, @Nullable Begin begin) {
        this.in = in;
        this.chunked = chunked;
        this.begin = begin;
        left = length;
        ended = !chunked && length == 0;
    }

    boolean isComplete() {
        return ended;
    }

    /// Returns whether the client waits for `100 Continue`.
    boolean isAwaited() {
        return begin != null && !ended;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int count) throws IOException {
        if (count == 0) return 0;
        if (ended) return -1;
        Begin first = begin;
        begin = null;
        if (first != null) first.run();
        if (chunked && left == 0 && !nextChunk()) return -1;
        int got = in.read(into, at, (int) Math.min(count, left));
        if (got < 0) throw new EOFException();
        left -= got;
        if (!chunked && left == 0) ended = true;
        return got;
    }

    private boolean nextChunk() throws IOException {
        if (!isFirst && !line().isEmpty()) throw malformed();
        isFirst = false;
        String size = line();
        int end = size.indexOf(';');
        String digits = end < 0 ? size : size.substring(0, end);
        if (!digits.matches("[0-9a-fA-F]{1," + MOST_SIZE_DIGITS + "}")) throw malformed();
        left = Long.parseLong(digits, 16);
        if (left > 0) return true;
        int trailers = 0;
        for (String trailer = line(); !trailer.isEmpty(); trailer = line()) {
            trailers += trailer.length();
            if (trailers > MOST_LINE) throw malformed();
        }
        ended = true;
        return false;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) throw new EOFException();
            if (b == '\n' || line.length() == MOST_LINE) throw malformed();
            line.append((char) b);
        }
        if (in.read() != '\n') throw malformed();
        return line.toString();
    }

    private static Problem malformed() {
        return new Problem(Problem.BAD_REQUEST, "the body has no valid length").header("Connection", "close");
    }
}
