package org.tutti.serve.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestGuardTest {
    private static RequestHead head(String host, String origin) {
        return new RequestHead("GET", "/", null, 1, Map.of("host", List.of(host), "origin", List.of(origin)));
    }

    private static void accepts(RequestGuard guard, String host, String origin) {
        assertThatCode(() -> guard.check(head(host, origin))).as(host).doesNotThrowAnyException();
    }

    private static void refuses(RequestGuard guard, String host, String origin) {
        assertThatThrownBy(() -> guard.check(head(host, origin)))
                .as(host)
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(403));
    }

    @Test
    void theDefaultPortMayBeOmitted() {
        RequestGuard http = new RequestGuard(false, "127.0.0.1", 80, List.of("Jobs.example"));
        for (String host : List.of("127.0.0.1", "127.0.0.1:80", "localhost", "LOCALHOST:80", "jobs.example")) {
            accepts(http, host, "http://" + host);
        }
        RequestGuard https = new RequestGuard(true, "[::1]", 443, List.of());
        for (String host : List.of("[::1]", "[::1]:443", "localhost")) accepts(https, host, "https://" + host);
    }

    @Test
    void anotherPortMayNot() {
        for (RequestGuard guard : List.of(
                new RequestGuard(false, "127.0.0.1", 8080, List.of()),
                new RequestGuard(false, "127.0.0.1", 443, List.of()),
                new RequestGuard(true, "127.0.0.1", 80, List.of()))) {
            refuses(guard, "127.0.0.1", "http://127.0.0.1");
            refuses(guard, "localhost", "http://localhost");
        }
    }
}
