package org.tutti.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.ServiceSettings;

/// Requests of clients without permission, and attempts to crash a service.
class ServiceSecurityTest {
    private static final int MANY = 300, READERS = Boolean.getBoolean("tutti.full") ? MANY : 50;
    private static final String ID = "0123456789abcdef0123456789abcdef";

    @TempDir
    static Path state;

    private static ServiceUnderTest service;

    @BeforeAll
    static void start() throws IOException {
        service = ServiceUnderTest.start(
                state.resolve("private"),
                1,
                s -> s.limits(ServiceUnderTest.limits(100, 16 << 20, 1000, Duration.ofSeconds(1))));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static int status(String token, String method, String path, String... more) throws IOException {
        String body = method.equals("POST") ? "1" : "";
        return service.ask(token, method, path, body, more).status();
    }

    // ---- 1: every route and method

    @Test
    void aRouteTakesItsTokenAndNothingElseIsThere() throws Exception {
        record Row(String path, Map<String, String> roles) {}
        List<Row> rows = List.of(
                new Row("/", Map.of("GET", "open")),
                new Row("/page.js", Map.of("GET", "open")),
                new Row("/page.css", Map.of("GET", "open")),
                new Row("/v1/functions", Map.of("GET", "read")),
                new Row("/v1/functions/square/jobs", Map.of("POST", "run")),
                new Row("/v1/jobs", Map.of("GET", "read")),
                new Row("/v1/jobs/" + ID, Map.of("GET", "read", "DELETE", "run")),
                new Row("/v1/jobs/" + ID + "/events", Map.of("GET", "read")),
                new Row("/v1/jobs/" + ID + "/result", Map.of("GET", "read")),
                new Row("/metrics", Map.of("GET", "read")),
                new Row("/openapi.json", Map.of("GET", "read")),
                new Row("/v1", Map.of()),
                new Row("/v1/jobs/", Map.of()),
                new Row("/page.html", Map.of()),
                new Row("/run-token", Map.of()));
        for (Row row : rows) {
            for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")) {
                String role = row.roles.getOrDefault(method, "");
                String what = method + " " + row.path;
                if (role.equals("open")) {
                    assertThat(status("", method, row.path)).as(what).isEqualTo(200);
                    continue;
                }
                assertThat(status("", method, row.path)).as(what).isEqualTo(401);
                assertThat(status(service.run.replace('0', '1') + "0", method, row.path))
                        .as(what)
                        .isEqualTo(401);
                int missing = row.roles.isEmpty() ? 404 : 405;
                int found = row.path.contains(ID) ? 404 : method.equals("POST") ? 202 : 200;
                int read = role.isEmpty() ? missing : role.equals("run") ? 403 : found;
                assertThat(status(service.read, method, row.path)).as(what).isEqualTo(read);
                assertThat(status(service.run, method, row.path)).as(what).isEqualTo(role.isEmpty() ? missing : found);
            }
        }
    }

    // ---- 2: the address to listen on

    /// Returns the sockets on which this process listens, from the kernel.
    private static TreeSet<String> listening(int port) throws IOException {
        TreeSet<String> found = new TreeSet<>();
        String end = ":%04X".formatted(port);
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/self/net", table))) {
                String[] words = line.strip().split("\\s+");
                if (words[1].endsWith(end) && words[3].equals("0A")) found.add(words[1]);
            }
        }
        return found;
    }

    @Test
    void listensOnlyOnLoopback() throws IOException {
        assertThat(listening(service.port()))
                .hasSize(1)
                .allSatisfy(address -> assertThat(address).matches("0100007F:.*|0000000000000000FFFF00000100007F:.*"));
    }

    @Test
    void otherMachinesNeedTls() throws Exception {
        Path own = state.resolve("others");
        ServiceSettings open = new ServiceSettings(own, 0, "0.0.0.0", List.of(), null, null, false, true);
        assertThatThrownBy(() -> ServiceUnderTest.start(own, 1, s -> s.settings(open)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "a service that other machines can reach needs --tls KEYSTORE, or --behind-proxy");
        ServiceSettings proxy =
                new ServiceSettings(own, 0, "0.0.0.0", List.of("jobs.example.org"), null, null, true, true);
        try (ServiceUnderTest proxied = ServiceUnderTest.start(own, 1, s -> s.settings(proxy))) {
            assertThat(proxied.ask("", "GET", "/", "", "Host", "jobs.example.org")
                            .status())
                    .isEqualTo(200);
            assertThat(proxied.ask("", "GET", "/", "", "Host", "evil.example.org")
                            .status())
                    .isEqualTo(403);
            assertThat(proxied.ask("", "GET", "/v1/jobs", "", "Host", "jobs.example.org")
                            .status())
                    .isEqualTo(401);
        }
    }

    private static final X509TrustManager ANYBODY = new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };

    @Test
    void tlsIsOfVersion13() throws Exception {
        Path keys = state.resolve("keys.p12"), password = state.resolve("password"), own = state.resolve("tls");
        Files.writeString(password, "changeit\n");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-genkeypair",
                        "-keystore",
                        keys.toString(),
                        "-storepass:file",
                        password.toString(),
                        "-keyalg",
                        "EC",
                        "-alias",
                        "service",
                        "-dname",
                        "CN=localhost")
                .redirectErrorStream(true)
                .start();
        String answer = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.waitFor()).as(answer).isZero();
        ServiceSettings settings = new ServiceSettings(own, 0, "0.0.0.0", List.of(), keys, password, false, true);
        try (ServiceUnderTest secure = ServiceUnderTest.start(own, 1, s -> s.settings(settings))) {
            assertThat(secure.service().address().getScheme()).isEqualTo("https");
            SSLContext client = SSLContext.getInstance("TLS");
            client.init(null, new TrustManager[] {ANYBODY}, new SecureRandom());
            byte[] request = ServiceUnderTest.request(
                    "GET",
                    "/v1/functions",
                    Map.of("Host", secure.host(), "Authorization", "Bearer " + secure.read),
                    new byte[0]);
            try (SSLSocket socket = (SSLSocket)
                    client.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), secure.port())) {
                socket.getOutputStream().write(request);
                assertThat(HttpAnswer.read(new BufferedInputStream(socket.getInputStream()))
                                .status())
                        .isEqualTo(200);
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
            try (SSLSocket old = (SSLSocket)
                    client.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), secure.port())) {
                old.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(old::startHandshake).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aKeyStoreThatCannotBeUsedIsNamed() throws Exception {
        Path text = state.resolve("no-keys"), none = state.resolve("none"), own = state.resolve("no-tls");
        Files.writeString(text, "text\n");
        assertThatThrownBy(() -> startWith(own, text, text))
                .hasMessageStartingWith("the key store " + text + " cannot be used as PKCS#12: ");
        assertThatThrownBy(() -> startWith(own, none, text))
                .hasMessageStartingWith("the key store " + none + " cannot be used as PKCS#12: ");
        assertThatThrownBy(() -> startWith(own, text, none))
                .hasMessageStartingWith("--tls-password-file " + none + " cannot be read: ");
    }

    private static void startWith(Path own, Path keys, Path password) throws Exception {
        ServiceSettings settings = new ServiceSettings(own, 0, "0.0.0.0", List.of(), keys, password, false, true);
        ServiceUnderTest.start(own, 1, s -> s.settings(settings)).close();
    }

    // ---- 3: other sites' pages

    @Test
    void otherSitesAreRefused() throws Exception {
        for (String path : List.of("/", "/v1/jobs", "/v1/functions/square/jobs")) {
            String method = path.endsWith("square/jobs") ? "POST" : "GET";
            for (String host :
                    List.of("", "evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:" + service.port())) {
                if (host.isEmpty()) continue;
                assertThat(status(service.run, method, path, "Host", host))
                        .as(host)
                        .isEqualTo(403);
            }
            for (String origin : List.of("null", "http://evil.example", "http://127.0.0.1:1", "file://")) {
                assertThat(status(service.run, method, path, "Origin", origin))
                        .as(origin)
                        .isEqualTo(403);
            }
            for (String site : List.of("cross-site", "same-site", "other")) {
                assertThat(status(service.run, method, path, "Sec-Fetch-Site", site))
                        .as(site)
                        .isEqualTo(403);
            }
            int fine = method.equals("POST") ? 202 : 200;
            assertThat(status(
                            service.run,
                            method,
                            path,
                            "Origin",
                            "http://" + service.host(),
                            "Sec-Fetch-Site",
                            "same-origin"))
                    .isEqualTo(fine);
            assertThat(status(service.run, method, path, "Host", "localhost:" + service.port()))
                    .isEqualTo(fine);
        }
        for (String type : List.of(
                "",
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data",
                "application/jsonp",
                "application/json; charset=utf-16")) {
            assertThat(service.post("square", "1", "Content-Type", type).status())
                    .as(type)
                    .isEqualTo(415);
        }
        HttpAnswer answer = service.ask(service.run, "GET", "/v1/jobs", "", "Origin", "http://" + service.host());
        assertThat(answer.headers().keySet())
                .noneMatch(name -> name.startsWith("access-control") || name.equals("set-cookie"));
    }

    @Test
    void aHeaderThatDecidesIsThereOnce() throws Exception {
        String twice = "Host: " + service.host() + "\r\nHost: " + service.host() + "\r\n";
        assertThat(raw("GET / HTTP/1.1\r\n" + twice + "\r\n").status()).isEqualTo(400);
        assertThat(raw("GET / HTTP/1.1\r\n\r\n").status()).isBetween(400, 403);
        assertThat(raw("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                        .status())
                .isEqualTo(403);
    }

    private static HttpAnswer raw(String text) throws IOException {
        try (Socket socket = service.connect()) {
            socket.getOutputStream().write(text.getBytes(UTF_8));
            return HttpAnswer.read(new BufferedInputStream(socket.getInputStream()));
        }
    }

    // ---- 4: tokens

    @Test
    void wrongTokensAreCounted() throws Exception {
        Path own = state.resolve("flood");
        try (ServiceUnderTest other = ServiceUnderTest.start(own, 1)) {
            List<Integer> seen = new ArrayList<>();
            for (int i = 0; i < 30; i++)
                seen.add(other.ask("wrong" + i, "GET", "/v1/jobs", "").status());
            assertThat(seen.subList(0, 10)).containsOnly(401);
            assertThat(seen).contains(429).doesNotContain(200);
            assertThat(other.ask(other.read, "GET", "/v1/jobs", "").status())
                    .as("the right one")
                    .isEqualTo(200);
        }
    }

    @Test
    void tokenFilesAreReadableOnlyByTheOwner() throws Exception {
        assertThat(service.run).matches("[0-9a-f]{64}").isNotEqualTo(service.read);
        Path own = service.service().stateDirectory();
        for (String file : List.of("run-token", "read-token", "lock", "address")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.resolve(file))))
                    .as(file)
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        String environment = Files.readString(Path.of("/proc/self/environ"));
        assertThat(environment + Files.readString(Path.of("/proc/self/cmdline")))
                .doesNotContain(service.run)
                .doesNotContain(service.read);
        assertThat(service.service().greeting(false))
                .contains("/#TOKEN")
                .doesNotContain(service.run)
                .doesNotContain(service.read);
        assertThat(service.service().greeting(true))
                .endsWith(service.service().address() + "/#" + service.run)
                .doesNotContain(service.read);
        assertThat(status("", "GET", "/v1/jobs?token=" + service.run)).isEqualTo(401);
        assertThat(status(service.run, "GET", "/v1/jobs?token=x")).isEqualTo(400);

        Path foreign = Files.createDirectory(state.resolve("foreign"));
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> ServiceUnderTest.start(foreign, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not a directory of this user only: rwxr-xr-x");
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(foreign.resolve("run-token"), "a".repeat(64));
        assertThatThrownBy(() -> ServiceUnderTest.start(foreign, 1))
                .hasMessageContaining("run-token is not a file of this user only");
        Files.delete(foreign.resolve("run-token"));
        Files.createSymbolicLink(foreign.resolve("run-token"), own.resolve("run-token"));
        assertThatThrownBy(() -> ServiceUnderTest.start(foreign, 1))
                .hasMessageContaining("a link or another kind of file");
        Files.delete(foreign.resolve("run-token"));
        Files.createSymbolicLink(state.resolve("link"), foreign);
        assertThatThrownBy(() -> ServiceUnderTest.start(state.resolve("link"), 1))
                .hasMessageContaining("is not a directory of this user only");
        assertThatThrownBy(() -> ServiceUnderTest.start(own, 1))
                .hasMessage("a different service uses the directory " + own);
    }

    @Test
    void rootIsRefused() throws Exception {
        ServiceSettings root = new ServiceSettings(state.resolve("root"), 0, null, List.of(), null, null, false, false);
        if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
            assertThatThrownBy(() -> ServiceUnderTest.start(state.resolve("root"), 1, s -> s.settings(root)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("this process runs as root");
        } else {
            ServiceUnderTest.start(state.resolve("root"), 1, s -> s.settings(root))
                    .close();
        }
    }

    // ---- 5: names and addresses of clients

    @Test
    void noTextOfAClientIsAPath() throws Exception {
        String id = service.submit("square", "1");
        service.await(id, "done");
        for (String path : List.of(
                "/v1/jobs/../run-token",
                "/v1/jobs/..%2frun-token",
                "/v1/jobs/%2e%2e/result",
                "/v1/jobs/" + id + "%00",
                "/v1/jobs/" + id.toUpperCase(java.util.Locale.ROOT).replace('0', 'X'),
                "/v1/jobs/" + id + ".jsonl",
                "/v1/jobs/" + id + "/..",
                "/v1/jobs/" + id + "/result/",
                "/v1/functions/..%2f..%2fjobs/jobs",
                "/page.js/../../run-token",
                "/%2e%2e/%2e%2e/etc/passwd",
                "/v1/jobs/.new-" + id)) {
            assertThat(status(service.run, "GET", path)).as(path).isIn(404, 405);
        }
        assertThat(status(service.run, "GET", "/v1/jobs?after=../../x")).isEqualTo(400);
        assertThat(status(service.run, "GET", "/v1/jobs?state=" + "x".repeat(5000)))
                .isEqualTo(400);
        assertThat(status(service.run, "POST", "/v1/functions/square/jobs?wait=9999999999"))
                .isEqualTo(400);
        assertThat(status(service.run, "POST", "/v1/functions/square/jobs?callback=http://evil"))
                .isEqualTo(400);
        assertThat(id).matches("[0-9a-f]{32}");
    }

    // ---- 7: too much of everything

    @Test
    void slowClientsDoNotBlockOtherClients() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            String head = "POST /v1/functions/square/jobs HTTP/1.1\r\nHost: " + service.host()
                    + "\r\nAuthorization: Bearer " + service.run + "\r\nContent-Type: application/json\r\n";
            for (int i = 0; i < 2 * MANY; i++) {
                Socket socket = service.connect();
                String half = i % 2 == 0 ? head : head + "Content-Length: 100\r\n\r\n1"; // half a head, half a body
                socket.getOutputStream().write(half.getBytes(UTF_8));
                slow.add(socket);
            }
            HttpAnswer answer = service.ask(service.run, "POST", "/v1/functions/square/jobs?wait=60", "3");
            assertThat(answer.text()).isEqualTo("9.0");
        } finally {
            for (Socket socket : slow) socket.close();
        }
    }

    @Test
    @Tag("full")
    void slowClientsAreCut() throws Exception {
        try (Socket head = service.connect();
                Socket body = service.connect()) {
            head.getOutputStream().write("GET / HT".getBytes(UTF_8));
            body.getOutputStream()
                    .write(("POST /v1/functions/square/jobs HTTP/1.1\r\nHost: " + service.host()
                                    + "\r\nAuthorization: Bearer " + service.run
                                    + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n1")
                            .getBytes(UTF_8));
            head.setSoTimeout(30_000);
            body.setSoTimeout(30_000);
            assertThat(head.getInputStream().read()).isEqualTo(-1);
            assertThat(body.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void readersThatDoNotReadAreCut() throws Exception {
        String id = service.submit("talk", "{\"count\":2500,\"chars\":3000}");
        List<Socket> readers = new ArrayList<>();
        try {
            for (int i = 0; i < READERS; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(4096);
                socket.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), service.port()));
                socket.getOutputStream()
                        .write(ServiceUnderTest.request(
                                "GET",
                                "/v1/jobs/" + id + "/events",
                                Map.of("Host", service.host(), "Authorization", "Bearer " + service.read),
                                new byte[0]));
                readers.add(socket);
            }
            service.await(id, "done");
            long end = System.nanoTime() + ServiceUnderTest.HANG_SECONDS * 1_000_000_000L;
            String metrics = "";
            while (!metrics.contains("tutti_event_readers 0\n") && System.nanoTime() < end) {
                Thread.sleep(20);
                metrics = service.get("/metrics").text();
            }
            assertThat(metrics).contains("tutti_event_readers 0\n");
        } finally {
            for (Socket socket : readers) socket.close();
        }
    }

    @Test
    void oversizedInputIsRefused() throws Exception {
        String large = "[" + "1,".repeat(600_000) + "1]";
        assertThat(service.post("square", large).status()).isEqualTo(413);
        String head = "POST /v1/functions/square/jobs HTTP/1.1\r\nHost: " + service.host()
                + "\r\nAuthorization: Bearer " + service.run + "\r\nContent-Type: application/json\r\n";
        assertThat(raw(head + "Content-Length: 99999999999\r\n\r\n").status()).isEqualTo(413);
        for (String length : List.of("-1", "+1", "1x", "0x1", "")) {
            assertThat(raw(head + "Content-Length: " + length + "\r\n\r\n1").status())
                    .as(length)
                    .isEqualTo(400);
        }
        String chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
        assertThat(raw(chunked + "ffffffffffff\r\n5\r\n0\r\n\r\n").status()).isEqualTo(400);
        try (Socket socket = service.connect()) {
            socket.getOutputStream().write((head + "Transfer-Encoding: chunked\r\n\r\n").getBytes(UTF_8));
            byte[] chunk = ("10000\r\n" + "1".repeat(65_536) + "\r\n").getBytes(UTF_8);
            for (int i = 0; i < 17; i++) socket.getOutputStream().write(chunk);
            assertThat(HttpAnswer.read(new BufferedInputStream(socket.getInputStream()))
                            .status())
                    .isEqualTo(413);
        }
        assertThat(status(service.run, "GET", "/v1/jobs", "X-Large", "x".repeat(20_000)))
                .isEqualTo(431);
        HttpAnswer result = service.ask(service.run, "POST", "/v1/functions/bytes/jobs?wait=60", "1000000");
        assertThat(result.status()).isEqualTo(500);
        assertThat(result.text()).contains("the result is larger than 1048576 bytes as JSON");
        assertThat(service.post("square", "1").status()).isEqualTo(202);
    }

    // ---- 8: the page

    @Test
    void thePageRunsOnlyItsScript() throws Exception {
        HttpAnswer page = service.ask("", "GET", "/", "");
        assertThat(page.headers().get("content-security-policy"))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
        assertThat(page.headers()).containsEntry("x-content-type-options", "nosniff");
        assertThat(page.text())
                .doesNotContain("onclick")
                .doesNotContain("<style")
                .doesNotContainPattern("<script>");
        String script = service.ask("", "GET", "/page.js", "").text();
        assertThat(script)
                .doesNotContain("innerHTML")
                .doesNotContain("outerHTML")
                .doesNotContain("insertAdjacentHTML")
                .doesNotContain("document.write")
                .doesNotContain("eval(");
        String id = service.submit("talk", "{\"count\":1,\"chars\":9}");
        service.await(id, "done");
        HttpAnswer events = service.ask(service.read, "GET", "/v1/jobs/" + id + "/events", "");
        assertThat(events.headers().get("content-type")).isEqualTo("text/event-stream");
        assertThat(events.headers()).containsEntry("x-content-type-options", "nosniff");
    }
}
