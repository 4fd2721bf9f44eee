package org.tutti.serve.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.tutti.job.ServiceSettings;
import org.tutti.serve.job.JobBook;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.job.ServiceLimits;
import org.tutti.serve.json.JsonValues;

/// Listens, and lets requests in: the JDK's server, with a virtual thread for each request.
public final class WebServer implements AutoCloseable {
    private static final int BACKLOG = 1024;

    /// Connections: as many as requests and readers of events, and some that are about to be refused.
    private static final int CONNECTIONS = 1536;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final URI address;
    private final String functions;
    private final RequestGuard guard;
    private final ServiceTokens tokens;
    private final WriteWatch writes;
    private final ServiceDocuments documents;
    private final RouteTable routes;
    private final Semaphore requests;
    private final int mostRequests;

    private WebServer(
            HttpServer server,
            ServiceSettings settings,
            StateDirectory state,
            Map<String, ServedFunction> functions,
            JobBook book,
            int slots,
            ServiceLimits limits)
            throws IOException {
        this.server = server;
        this.functions = String.join(", ", functions.keySet());
        int port = server.getAddress().getPort();
        InetAddress own = server.getAddress().getAddress();
        String host = own.isAnyLocalAddress() ? "127.0.0.1" : literal(own);
        address = URI.create((settings.keyStore() == null ? "http" : "https") + "://" + host + ":" + port);
        guard = new RequestGuard(hosts(settings.names(), host, port));
        tokens = new ServiceTokens(state.tokens(), limits.wrongTokens());
        mostRequests = limits.requests();
        requests = new Semaphore(mostRequests);
        writes = new WriteWatch(limits.unreadTime());
        EventStream events = new EventStream(limits.readers(), writes);
        documents = new ServiceDocuments(functions, book, events, tokens, slots);
        routes = routes(new JobRequests(functions, book, events), documents, new ServicePage());
        server.setExecutor(threads);
        server.createContext("/", this::handle);
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

    /// Listens.
    ///
    /// @param slots how many jobs run at a time
    /// @throws IOException when the address cannot be had, or the settings do not fit each other
    public static WebServer start(
            ServiceSettings settings,
            StateDirectory state,
            Map<String, ServedFunction> functions,
            JobBook book,
            int slots,
            ServiceLimits limits)
            throws IOException {
        bound();
        String listen = settings.listen();
        InetAddress own = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try {
            if (listen != null) own = InetAddress.getByName(listen);
        } catch (UnknownHostException e) {
            throw new IOException("--listen " + listen + " is no address of this machine: " + e.getMessage(), e);
        }
        if (!own.isLoopbackAddress() && settings.keyStore() == null && !settings.behindProxy()) {
            throw new IOException("a service that other machines reach needs --tls KEYSTORE, or --behind-proxy where a"
                    + " proxy on this way has TLS: without it tokens can be read on the wire");
        }
        InetSocketAddress where = new InetSocketAddress(own, settings.port());
        HttpServer server;
        try {
            server = settings.keyStore() == null ? HttpServer.create(where, BACKLOG) : secure(where, settings);
        } catch (BindException e) {
            throw new IOException(
                    "the service cannot listen at " + literal(own) + ":" + settings.port() + ": " + e.getMessage()
                            + "; --port 0 takes one that is free",
                    e);
        }
        WebServer made = new WebServer(server, settings, state, functions, book, slots, limits);
        server.start();
        return made;
    }

    /// The server's limits are properties, read once in a JVM. `maxReqTime` counts seconds, whatever is said
    /// of it.
    private static void bound() {
        Map.of(
                        "sun.net.httpserver.maxReqTime", "10",
                        // of a body that was refused: a client that still writes would lose the answer
                        "sun.net.httpserver.drainAmount", "4194304",
                        "sun.net.httpserver.maxReqHeaders", "100",
                        "sun.net.httpserver.maxReqHeaderSize", "65536",
                        "jdk.httpserver.maxConnections", String.valueOf(CONNECTIONS),
                        "sun.net.httpserver.nodelay", "true")
                .forEach((name, value) -> {
                    if (System.getProperty(name) == null) System.setProperty(name, value);
                });
    }

    private static HttpServer secure(InetSocketAddress where, ServiceSettings settings) throws IOException {
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
            HttpsServer server = HttpsServer.create(where, BACKLOG);
            server.setHttpsConfigurator(new HttpsConfigurator(context) {
                @Override
                public void configure(HttpsParameters each) {
                    SSLParameters parameters = context.getDefaultSSLParameters();
                    parameters.setProtocols(new String[] {"TLSv1.3"});
                    each.setSSLParameters(parameters);
                }
            });
            return server;
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

    /// A file of another format, or a wrong password, is an `IOException` that does not name the file.
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

    private static Set<String> hosts(List<String> names, String host, int port) {
        Set<String> all = new HashSet<>(Set.of(host + ":" + port, "localhost:" + port));
        for (String name : names) {
            String lower = name.toLowerCase(Locale.ROOT);
            all.add(lower);
            if (lower.indexOf(':') < 0) all.add(lower + ":" + port);
        }
        return all;
    }

    public URI address() {
        return address;
    }

    /// The names of the functions, for people.
    public String functions() {
        return functions;
    }

    // ---- requests

    private void handle(HttpExchange exchange) {
        try (exchange) {
            headers(exchange.getResponseHeaders());
            try {
                RouteTable.Route route = admit(exchange);
                String parameter = route.parameter(RouteTable.segments(path(exchange)));
                ServiceRequest request = new ServiceRequest(exchange, writes, parameter);
                if (route.method().equals("POST")) request.readBody();
                // readers of events are counted apart
                if (route.text().endsWith("/events")) route.handler().handle(request);
                else one(route, request);
            } catch (Problem p) {
                answer(exchange, p);
            } catch (RuntimeException e) {
                e.printStackTrace();
                answer(exchange, new Problem(Problem.FAILED, "the service has failed; its log says why"));
            }
            documents.answered(exchange.getResponseCode());
        } catch (IOException e) {
            // who has asked is gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service ends, or the client was cut
        }
    }

    /// Only what has come as a whole is counted, so that half a request keeps nobody out.
    private void one(RouteTable.Route route, ServiceRequest request) throws IOException, InterruptedException {
        if (!requests.tryAcquire()) {
            throw new Problem(Problem.BUSY, mostRequests + " requests are under way").header("Retry-After", "1");
        }
        try {
            route.handler().handle(request);
        } finally {
            requests.release();
        }
    }

    /// Says that nothing of an answer is to be kept, shown elsewhere, or taken for a program.
    private static void headers(Headers headers) {
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none';"
                        + " form-action 'none'; frame-ancestors 'none'");
    }

    private static String path(HttpExchange exchange) {
        String path = exchange.getRequestURI().getRawPath();
        return path == null ? "" : path;
    }

    /// The route of a request that may be made. Who has no token does not hear what there is.
    private RouteTable.Route admit(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        guard.check(headers);
        List<String> segments = RouteTable.segments(path(exchange));
        RouteTable.@Nullable Route route =
                routes.find(exchange.getRequestMethod(), segments).orElse(null);
        if (route != null && route.role() == ServiceRole.OPEN) return route;
        ServiceRole role = tokens.role(RequestGuard.only(headers, "Authorization"));
        if (route == null) {
            List<String> methods = routes.methods(segments);
            if (methods.isEmpty()) throw new Problem(Problem.NOT_FOUND, "there is nothing here");
            String allowed = String.join(", ", methods);
            throw new Problem(
                            Problem.NO_METHOD,
                            exchange.getRequestMethod() + " is not allowed here; allowed: " + allowed)
                    .header("Allow", allowed);
        }
        if (role.compareTo(route.role()) < 0) {
            throw new Problem(Problem.FORBIDDEN, "this token allows to look, not to run or cancel");
        }
        return route;
    }

    private void answer(HttpExchange exchange, Problem problem) throws IOException {
        if (exchange.getResponseCode() != -1) return; // an answer was under way
        problem.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] document = JsonValues.bytes(problem.document());
        ServiceRequest.send(exchange, writes, problem.status(), "application/problem+json", document);
    }

    /// Stops at once; requests under way are cut.
    @Override
    public void close() {
        server.stop(0);
        writes.close();
        threads.shutdownNow();
    }
}
