package org.tutti.serve.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.job.StoreException;
import org.tutti.serve.json.JsonTypes;
import org.tutti.serve.json.JsonValues;

/// A request of a route, and the answer.
final class ServiceRequest {
    private static final String JSON = "application/json";
    private static final int PIECE_BYTES = 1 << 16, SKIPPED_BYTES = 1 << 13;

    private final ClientExchange exchange;
    private final String parameter;
    private final Map<String, String> query = new HashMap<>();
    private byte[] body = {};
    private @Nullable Semaphore permits;

    /// @param parameter the segment of the path that matches the route's parameter
    ServiceRequest(ClientExchange exchange, String parameter) {
        this.exchange = exchange;
        this.parameter = parameter;
        String text = exchange.head().query();
        if (text == null || text.isEmpty()) return;
        for (String each : text.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (query.put(name, equals < 0 ? "" : each.substring(equals + 1)) != null) {
                throw new Problem(Problem.BAD_REQUEST, "a parameter occurs twice");
            }
        }
    }

    ClientExchange exchange() {
        return exchange;
    }

    /// Counts the request as active until [#leave].
    ///
    /// @return false if the number of active requests is at the limit
    boolean enter(Semaphore underWay) {
        if (!underWay.tryAcquire()) return false;
        permits = underWay;
        return true;
    }

    /// Stops counting the request as active. May be called several times.
    void leave() {
        Semaphore taken = permits;
        permits = null;
        if (taken != null) taken.release();
    }

    String parameter() {
        return parameter;
    }

    /// @throws Problem if the query has other parameters than these
    void allow(String... names) {
        Map<String, String> unexpected = new HashMap<>(query);
        for (String name : names) unexpected.remove(name);
        if (!unexpected.isEmpty()) {
            throw new Problem(
                    Problem.BAD_REQUEST,
                    "the address has an unknown parameter"
                            + (names.length == 0 ? "" : "; supported: " + String.join(", ", names)));
        }
    }

    @Nullable
    String query(String name) {
        return query.get(name);
    }

    @Nullable
    String header(String name) {
        return exchange.head().only(name);
    }

    /// Reads the body, for [#body].
    ///
    /// @throws Problem if the content type is not JSON, or the body is too large
    void readBody() throws IOException {
        String type = header("Content-Type");
        String[] parts = type == null ? new String[] {""} : type.split(";", 2);
        boolean isUtf8 = parts.length < 2 || parts[1].strip().equalsIgnoreCase("charset=utf-8");
        if (!parts[0].strip().equalsIgnoreCase(JSON) || !isUtf8) {
            throw new Problem(Problem.NO_TYPE, "the body must be JSON: Content-Type: application/json");
        }
        RequestHead head = exchange.head();
        if (!head.isChunked() && head.length() > JsonTypes.BODY_BYTES) throw tooLarge();
        InputStream in = exchange.body();
        body = in.readNBytes(JsonTypes.BODY_BYTES);
        if (in.read() >= 0) throw tooLarge();
        exchange.received();
    }

    /// Skips a body that the route does not use. Until the body has arrived, the deadline for receiving a
    /// request applies to the connection.
    ///
    /// @throws Problem if it is too large
    void skipBody() throws IOException {
        RequestHead head = exchange.head();
        if (!head.isChunked() && head.length() > JsonTypes.BODY_BYTES) throw tooLarge();
        InputStream in = exchange.body();
        byte[] piece = new byte[SKIPPED_BYTES];
        int all = 0;
        for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
            all += count;
            if (all > JsonTypes.BODY_BYTES) throw tooLarge();
        }
        exchange.received();
    }

    private static Problem tooLarge() {
        return new Problem(Problem.TOO_LARGE, "the body is larger than " + JsonTypes.BODY_BYTES + " bytes")
                .header("Connection", "close");
    }

    byte[] body() {
        return body;
    }

    // ---- the answer

    Map<String, String> headers() {
        return exchange.headers();
    }

    void json(int status, @Nullable Object document) throws IOException {
        send(status, JSON, JsonValues.bytes(document));
    }

    void send(int status, String type, byte[] body) throws IOException {
        send(exchange, status, type, body);
    }

    /// Sends a file in pieces of bounded size.
    void send(int status, String type, FileChannel body, Path file) throws IOException {
        headers().put("Content-Type", type);
        long left = StoreException.on(file, body::size);
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        int count = read(body, piece, left, file); // a failure before the answer begins becomes an error answer
        OutputStream out = exchange.answer(status, left);
        while (count > 0) {
            out.write(piece.array(), 0, count);
            left -= count;
            count = read(body, piece, left, file);
        }
        out.close();
    }

    private static int read(FileChannel body, ByteBuffer piece, long left, Path file) throws StoreException {
        if (left == 0) return 0;
        piece.clear().limit((int) Math.min(PIECE_BYTES, left));
        int count = StoreException.on(file, () -> body.read(piece));
        if (count < 0) throw new StoreException(file, "became shorter while it was read");
        return count;
    }

    static void send(ClientExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.headers().put("Content-Type", type);
        OutputStream out = exchange.answer(status, body.length);
        out.write(body);
        out.close();
    }
}
