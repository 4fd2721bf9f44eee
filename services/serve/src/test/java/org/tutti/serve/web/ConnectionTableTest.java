package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The selection of the connection to close, without a network.
class ConnectionTableTest {
    private static final int PORT = 8080;

    @TempDir
    Path dir;

    /// A connection from an address and a port.
    private static final class Client extends Socket {
        private final InetAddress address;
        private final int port;
        private boolean cut;

        Client(InetAddress address, int port) {
            this.address = address;
            this.port = port;
        }

        @Override
        public InetAddress getInetAddress() {
            return address;
        }

        @Override
        public int getPort() {
            return port;
        }

        @Override
        public InetAddress getLocalAddress() {
            return InetAddress.getLoopbackAddress();
        }

        @Override
        public int getLocalPort() {
            return PORT;
        }

        @Override
        public void close() {
            cut = true;
        }
    }

    private static final HttpConnection.Handler NONE = new HttpConnection.Handler() {
        @Override
        public void handle(ClientExchange exchange) {}

        @Override
        public void refuse(ClientExchange exchange, Problem problem) {}
    };

    private final List<Client> clients = new ArrayList<>();
    private ConnectionTable table;

    private HttpConnection add(InetAddress from) {
        Client client = new Client(from, 1000 + clients.size());
        clients.add(client);
        HttpConnection connection = new HttpConnection(client, null, NONE, table, 1_000_000_000);
        table.add(connection);
        return connection;
    }

    private static InetAddress remote(int number) throws IOException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
    }

    private void start(int most, int perPeer, int crowd) {
        table = new ConnectionTable(
                new ConnectionTable.Limits(most, perPeer, crowd), new LocalUsers(List.of(dir.resolve("tcp"))));
    }

    /// Writes the kernel's table with the users of local clients; a client with the user null gets no row.
    private void users(String... users) throws IOException {
        StringBuilder rows = new StringBuilder("  sl  local_address rem_address\n");
        InetAddress here = InetAddress.getLoopbackAddress();
        for (int i = 0; i < users.length; i++) {
            if (users[i] == null) continue;
            rows.append("   0: ")
                    .append(LocalUsers.end(here, 1000 + i))
                    .append(' ')
                    .append(LocalUsers.end(here, PORT))
                    .append(" 01 00000000:00000000 00:00000000 00000000 ")
                    .append(users[i])
                    .append(" 0 1 1\n");
        }
        Files.writeString(dir.resolve("tcp"), rows);
    }

    /// A client whose request was answered, and whose connection cannot be closed normally. The first `close()`
    /// waits until a second thread closes the connection, as the `close()` of TLS does if the client does not
    /// read.
    private static final class Unread extends Socket {
        private final CountDownLatch closing = new CountDownLatch(1), cut = new CountDownLatch(1);
        private final boolean fails;

        Unread(boolean fails) {
            this.fails = fails;
        }

        @Override
        public InetAddress getInetAddress() {
            return InetAddress.getLoopbackAddress();
        }

        @Override
        public void setTcpNoDelay(boolean on) {}

        @Override
        public InputStream getInputStream() {
            return new ByteArrayInputStream("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public void close() throws IOException {
            if (closing.getCount() > 0) {
                closing.countDown();
                try {
                    cut.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            cut.countDown();
            if (fails) throw new IllegalStateException("a fault of the library");
        }
    }

    @Test
    void aConnectionThatCannotBeClosedInOrderIsCut() throws Exception {
        start(10, 10, 10);
        table.start();
        List<Unread> unread = List.of(new Unread(true), new Unread(false));
        List<Thread> threads = new ArrayList<>();
        try {
            for (Unread each : unread) {
                HttpConnection connection = new HttpConnection(each, null, NONE, table, 1);
                assertThat(table.add(connection)).isTrue();
                threads.add(Thread.ofVirtual()
                        .uncaughtExceptionHandler((_, _) -> {})
                        .start(connection));
            }
            for (Thread each : threads)
                assertThat(each.join(Duration.ofSeconds(100))).isTrue();
        } finally {
            table.close();
            threads.forEach(Thread::interrupt);
        }
    }

    private List<Integer> cut() {
        List<Integer> cut = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) if (clients.get(i).cut) cut.add(i);
        return cut;
    }

    @Test
    void ofPeersWithOneConnectionEachTheFirstLosesIt() throws IOException {
        start(10, 5, 100);
        for (int i = 0; i < 13; i++) add(remote(100 - i));
        assertThat(cut()).containsExactly(0, 1, 2);
    }

    @Test
    void anAuthenticatedConnectionStaysWhileAnAnonymousOneIsLeft() throws IOException {
        start(3, 5, 100);
        table.authenticated(add(remote(1)));
        table.authenticated(add(remote(2)));
        for (int i = 0; i < 10; i++) add(remote(10 + i));
        assertThat(cut()).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10);
    }

    @Test
    void aConnectionIsAsOldAsItsArrival() throws Exception {
        start(100, 2, 1);
        users(null, "7");
        add(InetAddress.getLoopbackAddress());
        Thread.sleep(30); // until users are determined again
        add(InetAddress.getLoopbackAddress());
        users("7", "7", "7");
        Thread.sleep(30);
        add(InetAddress.getLoopbackAddress());
        assertThat(cut()).containsExactly(0);
    }

    @Test
    void usersAreResolvedBeforeAConnectionIsClosed() throws IOException {
        start(10, 100, 100);
        String[] users = new String[11];
        for (int i = 0; i < users.length; i++) users[i] = i == 0 ? "7" : "8";
        users(users);
        for (int i = 0; i < users.length; i++) add(InetAddress.getLoopbackAddress());
        assertThat(cut()).containsExactly(1);
    }

    /// User identifiers are unsigned 32-bit numbers.
    @Test
    void usersWithLargeIdentifiersAreSeparatePeers() throws IOException {
        start(100, 3, 1);
        users("4294967294", "2147483648", "2147483648", "2147483648", "2147483648", "9");
        for (int i = 0; i < 6; i++) add(InetAddress.getLoopbackAddress());
        assertThat(cut()).containsExactly(1);
    }
}
