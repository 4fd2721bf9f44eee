package org.tutti.serve.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.json.JsonTypes;
import org.tutti.serve.json.JsonValues;

/// One request of a route, and its answer.
final class ServiceRequest {
    private static final String JSON = "application/json";
    private static final int PIECE_BYTES = 1 << 16;

    private final HttpExchange exchange;
    private final WriteWatch writes;
    private final String parameter;
    private final Map<String, String> query = new HashMap<>();
    private byte[] body = {};

    /// @param parameter the segment of the path that the route leaves open
    ServiceRequest(HttpExchange exchange, WriteWatch writes, String parameter) {
        this.exchange = exchange;
        this.writes = writes;
        this.parameter = parameter;
        String text = exchange.getRequestURI().getRawQuery();
        if (text == null || text.isEmpty()) return;
        for (String each : text.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (query.put(name, equals < 0 ? "" : each.substring(equals + 1)) != null) {
                throw new Problem(Problem.BAD_REQUEST, "a parameter is there twice");
            }
        }
    }

    HttpExchange exchange() {
        return exchange;
    }

    String parameter() {
        return parameter;
    }

    /// @throws Problem when the address has other parameters than these
    void allow(String... names) {
        Map<String, String> others = new HashMap<>(query);
        for (String name : names) others.remove(name);
        if (!others.isEmpty()) {
            throw new Problem(
                    Problem.BAD_REQUEST,
                    "the address has a parameter that this one has not"
                            + (names.length == 0 ? "" : "; there is " + String.join(", ", names)));
        }
    }

    @Nullable
    String query(String name) {
        return query.get(name);
    }

    @Nullable
    String header(String name) {
        return RequestGuard.only(exchange.getRequestHeaders(), name);
    }

    /// Reads the body, for [#body].
    ///
    /// @throws Problem when it is no JSON by its type, or too large
    void readBody() throws IOException {
        String type = header("Content-Type");
        String[] parts = type == null ? new String[] {""} : type.split(";", 2);
        boolean isUtf8 = parts.length < 2 || parts[1].strip().equalsIgnoreCase("charset=utf-8");
        if (!parts[0].strip().equalsIgnoreCase(JSON) || !isUtf8) {
            throw new Problem(Problem.NO_TYPE, "the body is to be JSON: Content-Type: application/json");
        }
        String length = header("Content-Length");
        // the server takes +1, too, a proxy before it perhaps not, and then they differ in where a request ends
        if (length != null && !length.matches("\\d{1,18}")) throw unreadable();
        if (length != null && Long.parseLong(length) > JsonTypes.BODY_BYTES) throw tooLarge();
        InputStream in = exchange.getRequestBody();
        try {
            body = in.readNBytes(JsonTypes.BODY_BYTES);
            if (in.read() >= 0) throw tooLarge();
        } catch (IndexOutOfBoundsException e) {
            throw unreadable(); // what the server makes of a chunk whose length is more than an int
        }
    }

    private static Problem unreadable() {
        return new Problem(Problem.BAD_REQUEST, "the body has no length that makes sense")
                .header("Connection", "close");
    }

    private static Problem tooLarge() {
        return new Problem(Problem.TOO_LARGE, "the body is larger than " + JsonTypes.BODY_BYTES + " bytes")
                .header("Connection", "close");
    }

    byte[] body() {
        return body;
    }

    // ---- the answer

    Headers headers() {
        return exchange.getResponseHeaders();
    }

    void json(int status, @Nullable Object document) throws IOException {
        send(status, JSON, JsonValues.bytes(document));
    }

    void send(int status, String type, byte[] body) throws IOException {
        send(exchange, writes, status, type, body);
    }

    /// Sends a file, of which there is never more than a piece in memory.
    void send(int status, String type, FileChannel body) throws IOException {
        headers().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.size());
        try (OutputStream out = exchange.getResponseBody()) {
            ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
            while (body.read(piece.clear()) > 0) writes.write(out, Arrays.copyOf(piece.array(), piece.position()));
        }
    }

    static void send(HttpExchange exchange, WriteWatch writes, int status, String type, byte[] body)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length == 0) return;
        try (OutputStream out = exchange.getResponseBody()) {
            writes.write(out, body);
        }
    }
}
