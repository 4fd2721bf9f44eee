package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Connections and messages of HTTP/1.1, without a service.
class HttpListenerTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @TempDir
    Path dir;

    private final List<Socket> sockets = new ArrayList<>();
    private HttpListener listener;

    /// Answers with the path and the body; any header `token` is accepted.
    private static final HttpConnection.Handler ECHO = new HttpConnection.Handler() {
        @Override
        public void handle(ClientExchange exchange) throws IOException {
            if (exchange.head().only("Token") != null) exchange.authenticated();
            byte[] body = exchange.head().path().equals("/unread")
                    ? new byte[0]
                    : exchange.body().readAllBytes();
            ServiceRequest.send(
                    exchange,
                    200,
                    "text/plain",
                    (exchange.head().path() + " " + new String(body, UTF_8)).getBytes(UTF_8));
        }

        @Override
        public void refuse(ClientExchange exchange, Problem problem) throws IOException {
            exchange.headers().putAll(problem.headers());
            ServiceRequest.send(exchange, problem.status(), "text/plain", "no".getBytes(UTF_8));
        }
    };

    private void start(int most, int perPeer, int crowd) throws IOException {
        start(most, perPeer, crowd, dir.resolve("tcp"));
    }

    private void start(int most, int perPeer, int crowd, Path users) throws IOException {
        listener = new HttpListener(
                new InetSocketAddress(HERE, 0),
                null,
                new ConnectionTable(new ConnectionTable.Limits(most, perPeer, crowd), new LocalUsers(List.of(users))),
                Duration.ofSeconds(10));
        listener.start(ECHO);
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
        for (Socket socket : sockets) socket.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(HERE, listener.port());
        socket.setSoTimeout(60_000);
        sockets.add(socket);
        return socket;
    }

    /// Returns the last line of an answer's body, or the status of a failure; `closed` when the connection
    /// ends.
    private static String ask(Socket socket, String request) throws IOException {
        try {
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return answer(socket.getInputStream());
        } catch (SocketException e) {
            return "closed";
        }
    }

    private static String answer(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) return "closed";
            head.append((char) b);
        }
        var length = java.util.regex.Pattern.compile("Content-Length: (\\d+)").matcher(head);
        String body = length.find() ? new String(in.readNBytes(Integer.parseInt(length.group(1))), UTF_8) : "";
        String status = head.substring(9, 12);
        return status.equals("200") ? body : status;
    }

    private static String get(String path, String... headers) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + String.join("", headers) + "\r\n";
    }

    // ---- messages

    @Test
    void aConnectionHasOneRequestAfterTheOther() throws IOException {
        start(10, 10, 10);
        Socket socket = connect();
        assertThat(ask(socket, get("/1"))).isEqualTo("/1 ");
        assertThat(ask(socket, get("/2") + get("/3"))).isEqualTo("/2 ");
        assertThat(answer(socket.getInputStream())).isEqualTo("/3 ");
        assertThat(ask(socket, "POST /4 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
                .isEqualTo("/4 abc");
        String chunks =
                "POST /5 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: r\r\n\r\n";
        assertThat(ask(socket, chunks)).isEqualTo("/5 abc");
        assertThat(ask(socket, "POST /unread HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
                .isEqualTo("/unread ");
        assertThat(ask(socket, "\r\n" + get("/6"))).isEqualTo("/6 ");
        assertThat(ask(socket, get("/7", "Connection: close\r\n"))).isEqualTo("/7 ");
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
        assertThat(ask(connect(), "GET /8 HTTP/1.0\r\n\r\n")).isEqualTo("/8 ");
    }

    @Test
    void aClientThatAsksFirstMaySendItsBody() throws IOException {
        start(10, 10, 10);
        Socket socket = connect();
        String head = "POST /1 HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
        assertThat(ask(socket, head)).isEqualTo("100");
        assertThat(ask(socket, "ab")).isEqualTo("/1 ab");
        assertThat(ask(socket, head.replace("POST /1", "POST /unread"))).isEqualTo("/unread ");
        assertThat(socket.getInputStream().read()).as("it was not permitted").isEqualTo(-1);
    }

    @Test
    void anAmbiguousRequestIsRefused() throws IOException {
        start(100, 100, 100);
        for (String request : List.of(
                "GET /\r\n\r\n",
                "GET / HTTP/2.0\r\n\r\n",
                "GET  / HTTP/1.1\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\nHost: x\n\n",
                "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\u0000b\r\n\r\n",
                "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
                "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\nab",
                "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
            Socket socket = connect();
            assertThat(ask(socket, request)).as(request).isEqualTo("400");
            assertThat(socket.getInputStream().read()).as(request).isEqualTo(-1);
        }
        assertThat(ask(connect(), get("/", "X: y\r\n".repeat(101)))).isEqualTo("431");
        assertThat(ask(connect(), get("/" + "x".repeat(70_000)))).isEqualTo("431");
    }

    /// A pattern that tries each space as the end of the value needs 20 s.
    @Test
    void spacesInsideOfAValueAreReadOnce() throws IOException {
        start(10, 10, 10);
        long begin = System.nanoTime();
        assertThat(ask(connect(), get("/", "X: y" + " ".repeat(60_000) + "z\r\n")))
                .isEqualTo("/ ");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    }

    // ---- connections

    private static boolean isOpen(Socket socket) throws IOException {
        return !ask(socket, get("/", "Token: 1\r\n")).equals("closed");
    }

    @Test
    void aNewConnectionClosesTheOldestOneWithoutAToken() throws IOException {
        start(100, 8, 4);
        Socket known = connect();
        assertThat(isOpen(known)).isTrue();
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < 20; i++) idle.add(connect());
        assertThat(isOpen(connect())).isTrue();
        assertThat(isOpen(known)).isTrue();
        assertThat(isOpen(idle.get(0))).isFalse();
        assertThat(isOpen(idle.get(19))).isTrue();
    }

    @Test
    void thePeerWithTheMostConnectionsLosesOne() throws IOException {
        start(10, 100, 1);
        List<Socket> crowd = new ArrayList<>();
        StringBuilder table = new StringBuilder("  sl  local_address rem_address\n");
        Socket other = connect(table, 1000);
        for (int i = 0; i < 30; i++) {
            crowd.add(connect(table, 2000));
            // the other user sends a request on the oldest connection
            if (i % 7 == 6) assertThat(ask(other, get("/" + i))).isEqualTo("/" + i + " ");
        }
        assertThat(isOpen(crowd.get(0))).isFalse();
        assertThat(isOpen(crowd.get(29))).isTrue();
        assertThat(isOpen(other)).isTrue();
    }

    /// Connects as a user: the kernel's table lists the client before the service accepts the connection.
    private Socket connect(StringBuilder table, int user) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(60_000);
        socket.bind(new InetSocketAddress(HERE, 0));
        table.append("   0: ")
                .append(LocalUsers.end(HERE, socket.getLocalPort()))
                .append(' ')
                .append(LocalUsers.end(HERE, listener.port()))
                .append(" 01 00000000:00000000 00:00000000 00000000 " + user + " 0 1 1\n");
        // the service may read the table at any time, so the complete table is moved into place
        Files.writeString(dir.resolve("new"), table);
        Files.move(dir.resolve("new"), dir.resolve("tcp"), StandardCopyOption.ATOMIC_MOVE);
        socket.connect(new InetSocketAddress(HERE, listener.port()));
        return socket;
    }

    @Test
    void whereAllHaveATokenOneThatWaitsGoes() throws IOException {
        start(4, 4, 4);
        List<Socket> known = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            known.add(connect());
            assertThat(isOpen(known.get(i))).isTrue();
        }
        Socket fifth = connect();
        assertThat(isOpen(fifth)).isTrue();
        assertThat(known.stream().filter(HttpListenerTest::isOpenStill).count()).isEqualTo(3);
    }

    private static boolean isOpenStill(Socket socket) {
        try {
            return isOpen(socket);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aFaultOfOneConnectionCostsNoOther() throws IOException {
        Path broken;
        try (FileSystem closed = FileSystems.newFileSystem(dir.resolve("users.zip"), Map.of("create", "true"))) {
            broken = closed.getPath("tcp");
        }
        start(10, 10, 2, broken);
        try (Socket first = connect()) {
            assertThat(ask(first, get("/1"))).isEqualTo("/1 ");
            assertThat(ask(connect(), get("/2"))).as("the users cannot be read").isEqualTo("closed");
            assertThat(ask(first, get("/3", "Connection: close\r\n"))).isEqualTo("/3 ");
        }
        assertThat(ask(connect(), get("/4"))).isEqualTo("/4 ");
    }

    @Test
    void theKernelsTableHasThisUser() throws IOException {
        start(10, 10, 10);
        Socket socket = connect();
        String client = LocalUsers.end(socket.getLocalAddress(), socket.getLocalPort());
        int user = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        List<String> rows = new ArrayList<>(Files.readAllLines(Path.of("/proc/self/net/tcp")));
        rows.addAll(Files.readAllLines(Path.of("/proc/self/net/tcp6")));
        assertThat(rows)
                .anyMatch(row -> row.strip().split("\\s+")[1].endsWith(client)
                        && row.strip().split("\\s+")[7].equals("" + user));
    }
}
