package org.tutti.serve.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.serve.job.JobQueue;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.job.ServiceLimits;
import org.tutti.serve.job.StoreException;
import org.tutti.serve.json.JsonValues;

/// Listens for requests, and passes on the permitted ones.
public final class WebServer implements AutoCloseable {
    /// Limits of connections: the total is the sum of the limits on requests and on readers of events, with a
    /// margin for requests that are refused; the limit per peer is for connections without a token.
    private static final ConnectionTable.Limits CONNECTIONS = new ConnectionTable.Limits(1536, 256, 64);

    /// Maximum number of active requests that need no token. They are counted separately, so that clients
    /// without a token and clients with a token do not block each other.
    private static final int MOST_OPEN_REQUESTS = 64;

    private final HttpListener listener;
    private final URI address;
    private final String functions;
    private final RequestGuard guard;
    private final ServiceTokens tokens;
    private final ServiceDocuments documents;
    private final RouteTable routes;
    private final Semaphore requests;
    private final int mostRequests;
    private final Semaphore openRequests = new Semaphore(MOST_OPEN_REQUESTS);

    private WebServer(
            HttpListener listener,
            ServiceSettings settings,
            StateDirectory state,
            Map<String, ServedFunction> functions,
            JobQueue queue,
            int slots,
            ServiceLimits limits)
            throws IOException {
        this.listener = listener;
        this.functions = String.join(", ", functions.keySet());
        boolean isTls = settings.keyStore() != null;
        int port = listener.port();
        String host = listener.address().isAnyLocalAddress() ? "127.0.0.1" : literal(listener.address());
        address = URI.create((isTls ? "https" : "http") + "://" + host + ":" + port);
        guard = new RequestGuard(isTls, host, port, settings.names());
        tokens = new ServiceTokens(state.tokens(), limits.wrongTokens());
        mostRequests = limits.requests();
        requests = new Semaphore(mostRequests);
        EventStream events = new EventStream(limits.readers());
        documents = new ServiceDocuments(functions, queue, events, tokens, slots);
        routes = routes(new JobRequests(functions, queue, events), documents, new ServicePage());
    }

    private static RouteTable routes(JobRequests jobs, ServiceDocuments documents, ServicePage page) {
        return new RouteTable()
                .add("GET", "/", ServiceRole.OPEN, page::html)
                .add("GET", "/page.js", ServiceRole.OPEN, page::script)
                .add("GET", "/page.css", ServiceRole.OPEN, page::style)
                .add("GET", "/v1/functions", ServiceRole.READ, documents::functions)
                .add("POST", "/v1/functions/{name}/jobs", ServiceRole.RUN, jobs::post)
                .add("GET", "/v1/jobs", ServiceRole.READ, jobs::list)
                .add("GET", "/v1/jobs/{id}", ServiceRole.READ, jobs::get)
                .add("DELETE", "/v1/jobs/{id}", ServiceRole.RUN, jobs::delete)
                .add("GET", "/v1/jobs/{id}/events", ServiceRole.READ, jobs::events)
                .add("GET", "/v1/jobs/{id}/result", ServiceRole.READ, jobs::result)
                .add("GET", "/metrics", ServiceRole.READ, documents::metrics)
                .add("GET", "/openapi.json", ServiceRole.READ, documents::openApi);
    }

    /// Binds the port; requests are answered after [#start].
    ///
    /// @param slots maximum number of running jobs
    /// @throws IOException if the address is not available, or the settings contradict each other
    public static WebServer bind(
            ServiceSettings settings,
            StateDirectory state,
            Map<String, ServedFunction> functions,
            JobQueue queue,
            int slots,
            ServiceLimits limits)
            throws IOException {
        String listen = settings.listen();
        InetAddress own = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try {
            if (listen != null) own = InetAddress.getByName(listen);
        } catch (UnknownHostException e) {
            throw new IOException("--listen " + listen + " is not an address of this machine: " + e.getMessage(), e);
        }
        if (!own.isLoopbackAddress() && settings.keyStore() == null && !settings.usesProxy()) {
            throw new IOException("a service that other machines can reach needs --tls KEYSTORE, or --behind-proxy if a"
                    + " proxy terminates TLS: without TLS, tokens can be read on the network");
        }
        SSLContext tls = settings.keyStore() == null ? null : tls(settings);
        HttpListener listener;
        try {
            listener = new HttpListener(
                    new InetSocketAddress(own, settings.port()),
                    tls,
                    new ConnectionTable(CONNECTIONS, new LocalUsers()),
                    limits.unreadTime());
        } catch (SocketException e) {
            throw new IOException(
                    "the service cannot listen at " + literal(own) + ":" + settings.port() + ": " + e.getMessage()
                            + "; --port 0 selects a free port",
                    e);
        }
        boolean isMade = false;
        try {
            WebServer made = new WebServer(listener, settings, state, functions, queue, slots, limits);
            isMade = true;
            return made;
        } finally {
            if (!isMade) listener.close();
        }
    }

    /// Starts to answer requests.
    public void start() {
        listener.start(new HttpConnection.Handler() {
            @Override
            public void handle(ClientExchange exchange) throws IOException, InterruptedException {
                answerTo(exchange);
            }

            @Override
            public void refuse(ClientExchange exchange, Problem problem) throws IOException {
                headers(exchange.headers());
                answer(exchange, problem);
                documents.answered(exchange.status());
            }
        });
    }

    private static SSLContext tls(ServiceSettings settings) throws IOException {
        Path file = settings.keyStore(), passwordFile = settings.keyStorePassword();
        if (file == null || passwordFile == null) {
            throw new IOException("--tls needs --tls-password-file, a file with the password of the key store");
        }
        char[] password = password(passwordFile);
        try {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            load(keys, file, password);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, password);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the key store " + file + " cannot be used: " + e, e);
        }
    }

    private static char[] password(Path file) throws IOException {
        try {
            return Files.readString(file).strip().toCharArray();
        } catch (IOException e) {
            throw new IOException("--tls-password-file " + file + " cannot be read: " + e, e);
        }
    }

    /// Loads the keys. A different file format or a wrong password causes an `IOException` that does not name
    /// the file.
    private static void load(KeyStore keys, Path file, char[] password) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, password);
        } catch (IOException e) {
            throw new IOException("the key store " + file + " cannot be used as PKCS#12: " + e, e);
        }
    }

    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        return text.indexOf(':') < 0 ? text : "[" + text + "]";
    }

    public URI address() {
        return address;
    }

    /// Returns the names of the functions, for people.
    public String functions() {
        return functions;
    }

    // ---- requests

    private void answerTo(ClientExchange exchange) throws IOException, InterruptedException {
        headers(exchange.headers());
        try {
            RouteTable.Route route = admit(exchange);
            String parameter =
                    route.parameter(RouteTable.segments(exchange.head().path()));
            ServiceRequest request = new ServiceRequest(exchange, parameter);
            if (route.method().equals("POST")) request.readBody();
            else request.skipBody();
            // readers of events are counted separately
            if (route.text().endsWith("/events")) route.handler().handle(request);
            else one(route, request);
        } catch (Problem p) {
            answer(exchange, p);
        } catch (StoreException e) {
            System.err.println("tutti: service: a request failed: " + e.getMessage());
            answer(
                    exchange,
                    new Problem(Problem.FAILED, "a file of the service cannot be read; see the log of the service"));
        } catch (RuntimeException e) {
            e.printStackTrace();
            answer(exchange, new Problem(Problem.FAILED, "the service has failed; see the log of the service"));
        }
        documents.answered(exchange.status());
    }

    /// Counts only requests that have arrived completely, so that an incomplete request does not block other
    /// requests.
    private void one(RouteTable.Route route, ServiceRequest request) throws IOException, InterruptedException {
        boolean isOpen = route.role() == ServiceRole.OPEN;
        if (!request.enter(isOpen ? openRequests : requests)) {
            int most = isOpen ? MOST_OPEN_REQUESTS : mostRequests;
            throw new Problem(Problem.BUSY, most + " requests are in progress").header("Retry-After", "1");
        }
        try {
            route.handler().handle(request);
        } finally {
            request.leave();
        }
    }

    /// Forbids caching, embedding and executing an answer.
    private static void headers(Map<String, String> headers) {
        headers.put("Cache-Control", "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.put(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none';"
                        + " form-action 'none'; frame-ancestors 'none'");
    }

    /// Returns the route of a permitted request. Without a token the answer does not reveal whether a route
    /// exists.
    private RouteTable.Route admit(ClientExchange exchange) {
        RequestHead head = exchange.head();
        guard.check(head);
        List<String> segments = RouteTable.segments(head.path());
        RouteTable.@Nullable Route route = routes.find(head.method(), segments).orElse(null);
        if (route != null && route.role() == ServiceRole.OPEN) return route;
        ServiceRole role = tokens.role(head.only("Authorization"));
        exchange.authenticated();
        if (route == null) {
            List<String> methods = routes.methods(segments);
            if (methods.isEmpty()) throw new Problem(Problem.NOT_FOUND, "no such address");
            String allowed = String.join(", ", methods);
            throw new Problem(Problem.NO_METHOD, head.method() + " is not allowed here; allowed: " + allowed)
                    .header("Allow", allowed);
        }
        if (role.compareTo(route.role()) < 0) {
            throw new Problem(Problem.FORBIDDEN, "this token permits reading, but not running or cancelling jobs");
        }
        return route;
    }

    private static void answer(ClientExchange exchange, Problem problem) throws IOException {
        if (exchange.status() != -1) return; // an incomplete answer: the connection is closed
        exchange.headers().putAll(problem.headers());
        byte[] document = JsonValues.bytes(problem.document());
        ServiceRequest.send(exchange, problem.status(), "application/problem+json", document);
    }

    /// Closes the port and all connections immediately; requests in progress get no answer.
    @Override
    public void close() {
        listener.close();
    }
}
