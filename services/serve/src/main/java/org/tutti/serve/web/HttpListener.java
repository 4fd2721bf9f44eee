package org.tutti.serve.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Accepts connections: HTTP/1.1, with or without TLS, a virtual thread for each connection.
final class HttpListener implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final long AGAIN_MILLIS = 50;

    private final ServerSocket server;
    private final @Nullable SSLContext tls;
    private final ConnectionTable table;
    private final long unreadNanos;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /// Binds the address.
    ///
    /// @param unread maximum time for which a client may leave an answer unread
    HttpListener(InetSocketAddress where, @Nullable SSLContext tls, ConnectionTable table, Duration unread)
            throws IOException {
        this.tls = tls;
        this.table = table;
        unreadNanos = unread.toNanos();
        server = new ServerSocket();
        boolean isBound = false;
        try {
            server.setReuseAddress(true);
            server.bind(where, BACKLOG);
            isBound = true;
        } finally {
            if (!isBound) close();
        }
    }

    InetAddress address() {
        return server.getInetAddress();
    }

    int port() {
        return server.getLocalPort();
    }

    void start(HttpConnection.Handler handler) {
        table.start();
        Thread.ofVirtual().name("tutti-service-listener").start(() -> accept(handler));
    }

    private void accept(HttpConnection.Handler handler) {
        while (!server.isClosed()) {
            try {
                serve(new HttpConnection(server.accept(), tls, handler, table, unreadNanos));
            } catch (IOException | RuntimeException | Error e) {
                if (server.isClosed()) return;
                // if descriptors or memory are exhausted, an older connection must be closed; other faults
                // concern only the new connection
                if (e instanceof IOException || e instanceof OutOfMemoryError) table.relieve();
                else System.err.println("tutti: service: a connection cannot be served: " + e);
                pause();
            }
        }
    }

    private void serve(HttpConnection connection) {
        boolean isServed = false;
        try {
            if (!table.add(connection)) return;
            threads.execute(connection);
            isServed = true;
        } finally {
            if (!isServed) {
                table.remove(connection);
                connection.cut();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(AGAIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Closes the port and all connections, immediately.
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            System.err.println("tutti: service: the port cannot be closed: " + e);
        }
        table.close();
        threads.shutdownNow();
    }
}
