package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// A connection: reads and answers requests one after the other, on one thread. [ConnectionTable] closes it at
/// the deadline.
final class HttpConnection implements Runnable {
    /// Answers requests.
    interface Handler {
        void handle(ClientExchange exchange) throws IOException, InterruptedException;

        /// Answers a request that could not be parsed.
        void refuse(ClientExchange exchange, Problem problem) throws IOException;
    }

    private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(10), IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long NONE = Long.MAX_VALUE;
    private static final int PIECE_BYTES = 1 << 16;
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8);

    private final Socket raw;
    private final @Nullable SSLContext tls;
    private final Handler handler;
    private final ConnectionTable table;
    private final long unreadNanos;

    /// The deadline of the current request, in nanoseconds of [#now].
    private volatile long deadline;

    private volatile boolean isIdle;
    private volatile @Nullable OutputStream out;
    private @Nullable Socket secured;

    HttpConnection(Socket raw, @Nullable SSLContext tls, Handler handler, ConnectionTable table, long unreadNanos) {
        this.raw = raw;
        this.tls = tls;
        this.handler = handler;
        this.table = table;
        this.unreadNanos = unreadNanos;
        requestDeadline();
    }

    private static final long BEGIN = System.nanoTime();

    private static long now() {
        return System.nanoTime() - BEGIN;
    }

    InetAddress remote() {
        return raw.getInetAddress();
    }

    int remotePort() {
        return raw.getPort();
    }

    InetAddress local() {
        return raw.getLocalAddress();
    }

    int localPort() {
        return raw.getLocalPort();
    }

    /// Returns whether the connection is waiting for a further request.
    boolean isIdle() {
        return isIdle;
    }

    boolean isOverdue() {
        return now() > deadline;
    }

    /// Sets the deadline of the current request: the request must have arrived completely within ten seconds.
    void requestDeadline() {
        deadline = now() + REQUEST_NANOS;
    }

    /// Closes the connection, regardless of the state of the thread.
    void cut() {
        try {
            raw.close();
        } catch (IOException | RuntimeException e) {
            // the connection was closed, or never open
        }
    }

    void authenticated() {
        table.authenticated(this);
    }

    /// @throws IOException if the client has disconnected, or does not read
    void write(byte[] bytes) throws IOException {
        OutputStream to = out;
        if (to == null) throw new IOException("the connection is not open");
        long before = deadline;
        for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
            deadline = now() + unreadNanos;
            to.write(bytes, from, Math.min(PIECE_BYTES, bytes.length - from));
            to.flush();
        }
        deadline = before;
    }

    /// Closes the output. Input can still be read.
    void endOutput() throws IOException {
        Socket socket = secured;
        if (socket != null) socket.shutdownOutput();
    }

    @Override
    public void run() {
        try (Socket socket = secured()) {
            secured = socket;
            InputStream in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
            try {
                while (one(in)) {
                    deadline = now() + IDLE_NANOS;
                    isIdle = true;
                    in.mark(1);
                    if (in.read() < 0) break;
                    in.reset();
                    isIdle = false;
                    requestDeadline();
                }
            } finally {
                deadline = now() + unreadNanos; // close() of TLS blocks until the client reads
            }
        } catch (IOException e) {
            // the client has disconnected, or was disconnected by the service
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service ends
        } finally {
            table.remove(this);
            cut();
        }
    }

    private Socket secured() throws IOException {
        raw.setTcpNoDelay(true);
        if (tls == null) return raw;
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(raw, null, true);
        SSLParameters parameters = tls.getDefaultSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /// Reads a request and answers it; returns whether a further request can follow.
    private boolean one(InputStream in) throws IOException, InterruptedException {
        RequestHead head;
        RequestBody body;
        try {
            head = RequestHead.read(in);
            if (head == null) return false;
            RequestBody.Begin begin = head.expectsContinue() ? () -> write(CONTINUE) : null;
            boolean isChunked = head.isChunked();
            body = new RequestBody(in, isChunked, isChunked ? 0 : head.length(), begin);
        } catch (Problem p) {
            // the end of the request is unknown, so the connection ends with this answer
            ClientExchange exchange =
                    new ClientExchange(this, RequestHead.NONE, new RequestBody(in, false, Long.MAX_VALUE, null));
            handler.refuse(exchange, p.header("Connection", "close"));
            exchange.finish();
            return false;
        }
        if (body.isComplete()) received();
        ClientExchange exchange = new ClientExchange(this, head, body);
        handler.handle(exchange);
        return exchange.finish();
    }

    /// Marks the request as received completely; from then on, time is limited only for each write of the answer.
    void received() {
        deadline = NONE;
    }
}
