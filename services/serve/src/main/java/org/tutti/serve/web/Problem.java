package org.tutti.serve.web;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Thrown if a request is refused or has failed. Contains the answer to the client, in the format of RFC 9457.
final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final int BAD_REQUEST = 400, UNAUTHORIZED = 401, FORBIDDEN = 403, NOT_FOUND = 404, NO_METHOD = 405;
    static final int CONFLICT = 409, NO_LONGER_AVAILABLE = 410, TOO_LARGE = 413, NO_TYPE = 415, UNPROCESSABLE = 422;
    static final int TOO_MANY = 429, HEADERS_TOO_LARGE = 431, FAILED = 500, BUSY = 503, NO_ROOM = 507;

    private final int status;
    private final transient Map<String, String> headers = new LinkedHashMap<>();
    private final transient Map<String, Object> more = new LinkedHashMap<>();

    Problem(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    Problem header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    Problem with(String name, @Nullable Object value) {
        if (value != null) more.put(name, value);
        return this;
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    Map<String, Object> document() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("status", status);
        all.put("detail", String.valueOf(getMessage()));
        all.putAll(more);
        return all;
    }
}
