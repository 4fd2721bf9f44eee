package org.tutti.serve.web;

import com.sun.net.httpserver.Headers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Refuses requests that a web page of somebody else makes a browser send, and others that no client of this
/// service sends.
final class RequestGuard {
    private static final int MOST_HEADER_CHARS = 16 << 10;

    private final Set<String> hosts;

    /// @param hosts what a request may call the service: `127.0.0.1:8080`
    RequestGuard(Set<String> hosts) {
        this.hosts = hosts;
    }

    /// @throws Problem when it is refused
    void check(Headers headers) {
        headers.forEach((name, values) -> {
            for (String value : values) {
                if (name.length() + value.length() > MOST_HEADER_CHARS) {
                    throw new Problem(
                            Problem.HEADERS_TOO_LARGE, "a header is longer than " + MOST_HEADER_CHARS + " bytes");
                }
            }
        });
        String host = only(headers, "Host");
        if (host == null || !hosts.contains(host.toLowerCase(Locale.ROOT))) {
            throw new Problem(
                    Problem.FORBIDDEN, "the Host header is none of this service's names; --public-name adds one");
        }
        String origin = only(headers, "Origin");
        if (origin != null && !isOwn(origin)) throw new Problem(Problem.FORBIDDEN, "the request is another site's");
        String site = only(headers, "Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw new Problem(Problem.FORBIDDEN, "the request is another site's");
        }
    }

    private boolean isOwn(String origin) {
        String text = origin.toLowerCase(Locale.ROOT);
        for (String scheme : List.of("http://", "https://")) {
            if (text.startsWith(scheme) && hosts.contains(text.substring(scheme.length()))) return true;
        }
        return false;
    }

    /// Null when there is none; one that is there twice is refused.
    static @Nullable String only(Headers headers, String name) {
        List<String> all = headers.get(name);
        if (all == null || all.isEmpty()) return null;
        if (all.size() > 1) throw new Problem(Problem.BAD_REQUEST, "the header " + name + " is there twice");
        return all.getFirst();
    }
}
