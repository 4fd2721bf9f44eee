package org.tutti.serve.web;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Refuses requests that a foreign web page causes a browser to send, and other requests that no client of this
/// service sends.
final class RequestGuard {
    private static final int MOST_HEADER_CHARS = 16 << 10, HTTP_PORT = 80, HTTPS_PORT = 443;

    private final Set<String> hosts = new HashSet<>();

    /// @param isTls whether clients use `https`, which has a different default port
    /// @param host the address of the service, without the port
    /// @param names further names of the service, with or without a port
    RequestGuard(boolean isTls, String host, int port, List<String> names) {
        add(host, port, isTls);
        add("localhost", port, isTls);
        for (String name : names) {
            String lower = name.toLowerCase(Locale.ROOT);
            // added without a port, too, because a proxy may listen on any port
            hosts.add(lower);
            if (lower.indexOf(':') < 0) add(lower, port, isTls);
        }
    }

    /// Clients omit the default port of the scheme (RFC 9110, 4.2.3).
    private void add(String host, int port, boolean isTls) {
        hosts.add(host + ":" + port);
        if (port == (isTls ? HTTPS_PORT : HTTP_PORT)) hosts.add(host);
    }

    /// @throws Problem if the request is refused
    void check(RequestHead head) {
        head.headers().forEach((name, values) -> {
            for (String value : values) {
                if (name.length() + value.length() > MOST_HEADER_CHARS) {
                    throw new Problem(
                            Problem.HEADERS_TOO_LARGE, "a header is longer than " + MOST_HEADER_CHARS + " bytes");
                }
            }
        });
        String host = head.only("Host");
        if (host == null || !hosts.contains(host.toLowerCase(Locale.ROOT))) {
            throw new Problem(
                    Problem.FORBIDDEN, "the Host header is not a name of this service; add it with --public-name");
        }
        String origin = head.only("Origin");
        if (origin != null && !isOwn(origin))
            throw new Problem(Problem.FORBIDDEN, "the request is from a foreign site");
        String site = head.only("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw new Problem(Problem.FORBIDDEN, "the request is from a foreign site");
        }
    }

    private boolean isOwn(String origin) {
        String text = origin.toLowerCase(Locale.ROOT);
        for (String scheme : List.of("http://", "https://")) {
            if (text.startsWith(scheme) && hosts.contains(text.substring(scheme.length()))) return true;
        }
        return false;
    }
}
