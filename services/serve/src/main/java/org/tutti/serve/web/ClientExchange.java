package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request and the answer, on one connection.
final class ClientExchange {
    /// Passed as the length of an answer if the length is not known in advance; the answer is then sent in
    /// chunks, or with HTTP/1.0 until the end of the connection.
    static final long UNKNOWN = -1;

    private static final int DRAINED_BYTES = 4 << 20;
    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(202, "Accepted"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(409, "Conflict"),
            Map.entry(410, "Gone"),
            Map.entry(413, "Content Too Large"),
            Map.entry(415, "Unsupported Media Type"),
            Map.entry(422, "Unprocessable Content"),
            Map.entry(429, "Too Many Requests"),
            Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(507, "Insufficient Storage"));

    private final HttpConnection connection;
    private final RequestHead head;
    private final RequestBody body;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private boolean keepsConnection;
    private int status = -1;
    private @Nullable Answer answer;

    ClientExchange(HttpConnection connection, RequestHead head, RequestBody body) {
        this.connection = connection;
        this.head = head;
        this.body = body;
        keepsConnection = head.keepsConnection();
    }

    RequestHead head() {
        return head;
    }

    InputStream body() {
        return body;
    }

    /// Marks the connection as one of a client that has a token.
    void authenticated() {
        connection.authenticated();
    }

    /// Marks the request as received completely; from then on, time is limited only for each write of the answer.
    void received() {
        connection.received();
    }

    /// Returns the headers of the answer.
    Map<String, String> headers() {
        return headers;
    }

    /// Returns the status of the answer; -1 before the answer has started.
    int status() {
        return status;
    }

    /// Begins the answer. The head is sent with the first bytes of the body, or when the stream is closed.
    ///
    /// @param length the length of the body in bytes, or [#UNKNOWN]
    OutputStream answer(int code, long length) {
        if (status >= 0) throw new IllegalStateException("an answer was already started");
        status = code;
        boolean isChunked = length == UNKNOWN && head.version() == 1;
        if (length == UNKNOWN && !isChunked || "close".equalsIgnoreCase(headers.get("Connection"))) {
            keepsConnection = false;
        }
        if (!keepsConnection) headers.put("Connection", "close");
        if (isChunked) headers.put("Transfer-Encoding", "chunked");
        else if (length >= 0) headers.put("Content-Length", String.valueOf(length));
        StringBuilder text =
                new StringBuilder("HTTP/1.1 " + code + " " + REASONS.getOrDefault(code, "Status") + "\r\n");
        text.append("Date: ")
                .append(DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)))
                .append("\r\n");
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        text.append("\r\n");
        Answer started = new Answer(
                text.toString().getBytes(ISO_8859_1),
                length,
                isChunked,
                head.method().equals("HEAD"));
        answer = started;
        return started;
    }

    /// Ends the exchange; returns whether a further exchange can follow on the connection.
    boolean finish() throws IOException {
        Answer sent = answer;
        if (sent == null || !sent.isComplete) return false;
        // a client that still writes would lose the answer if the connection ended now
        if (body.isComplete()) return keepsConnection;
        if (body.isAwaited()) return false;
        connection.requestDeadline();
        // the client reads the end of the answer immediately, even while it is still writing
        if (!keepsConnection) connection.endOutput();
        try {
            body.skipNBytes(DRAINED_BYTES);
            return false;
        } catch (java.io.EOFException e) {
            return keepsConnection && body.isComplete();
        } catch (Problem p) {
            return false;
        }
    }

    /// The body of an answer.
    private final class Answer extends OutputStream {
        private byte[] before;
        private final boolean isChunked, isHead, hasLength;
        private long left;
        private boolean isComplete;

        Answer(byte[] head, long length, boolean isChunked, boolean isHead) {
            before = head;
            hasLength = length != UNKNOWN;
            left = length;
            this.isChunked = isChunked;
            this.isHead = isHead;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int at, int count) throws IOException {
            if (count == 0) return;
            if (hasLength && count > left)
                throw new IllegalStateException("the answer is longer than its Content-Length");
            left -= count;
            byte[] chunk = isChunked ? (Integer.toHexString(count) + "\r\n").getBytes(UTF_8) : new byte[0];
            int end = isChunked ? 2 : 0;
            byte[] all = Arrays.copyOf(before, before.length + (isHead ? 0 : chunk.length + count + end));
            if (!isHead) {
                System.arraycopy(chunk, 0, all, before.length, chunk.length);
                System.arraycopy(from, at, all, before.length + chunk.length, count);
                if (isChunked) {
                    all[all.length - 2] = '\r';
                    all[all.length - 1] = '\n';
                }
            }
            before = new byte[0];
            connection.write(all);
        }

        @Override
        public void close() throws IOException {
            if (isComplete) return;
            if (hasLength && left > 0) throw new IOException(left + " bytes of the answer are missing");
            byte[] last = isChunked && !isHead ? "0\r\n\r\n".getBytes(UTF_8) : new byte[0];
            byte[] all = Arrays.copyOf(before, before.length + last.length);
            System.arraycopy(last, 0, all, before.length, last.length);
            if (all.length > 0) connection.write(all);
            before = new byte[0];
            isComplete = true;
        }
    }
}
