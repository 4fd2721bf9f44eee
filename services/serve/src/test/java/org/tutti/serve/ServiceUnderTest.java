package org.tutti.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.tutti.futures.CurrentTask;
import org.tutti.futures.RankPool;
import org.tutti.futures.UnfinishedTasksException;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.serve.job.ServiceLimits;

/// A service over threads, and a client that writes requests directly.
final class ServiceUnderTest implements AutoCloseable {
    static final int HANG_SECONDS = 100;

    /// The number of jobs of [#slow] and [#stubborn] that have started.
    static final AtomicInteger STARTED = new AtomicInteger();
    static final AtomicBoolean LET_GO = new AtomicBoolean();

    record Point(double x, double y) {}

    record Triangle(List<Point> corners, java.util.Optional<String> name) {
        Triangle {
            if (corners.size() != 3) throw new IllegalArgumentException(corners.size() + " corners");
        }
    }

    record Lines(int count, int chars) {}

    private final RankPool pool;
    private final RunningService service;
    final String run;
    final String read;

    private ServiceUnderTest(RankPool pool, RunningService service) throws IOException {
        this.pool = pool;
        this.service = service;
        run = Files.readString(service.stateDirectory().resolve("run-token")).strip();
        read = Files.readString(service.stateDirectory().resolve("read-token")).strip();
    }

    static ServiceSettings settings(Path state) {
        return new ServiceSettings(state, 0, null, List.of(), null, null, false, true);
    }

    static ServiceUnderTest start(Path state, int workers) throws IOException {
        return start(state, workers, s -> s);
    }

    static ServiceUnderTest start(Path state, int workers, UnaryOperator<Service> more) throws IOException {
        RankPool pool = RankPool.threads(workers);
        try {
            Service service = more.apply(Service.of(pool).settings(settings(state)))
                    .addFunction("square", "Squares a number.", x -> x * x, Double.class, Double.class)
                    .addFunction("slow", ServiceUnderTest::slow, Integer.class, Integer.class)
                    .addFunction("stubborn", ServiceUnderTest::stubborn, Integer.class, Integer.class)
                    .addFunction("invert", x -> 10 / x, Integer.class, Integer.class)
                    .addFunction("longest", ServiceUnderTest::longest, Triangle.class, Double.class)
                    .addFunction("bytes", n -> new byte[n], Integer.class, byte[].class)
                    .addFunction("talk", ServiceUnderTest::talk, Lines.class, Integer.class);
            return new ServiceUnderTest(pool, service.start());
        } catch (IOException | RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    static ServiceLimits limits(int queue, long outputBytes, int kept, Duration unread) {
        ServiceLimits limits = ServiceLimits.DEFAULTS;
        return new ServiceLimits(
                queue,
                1 << 20,
                outputBytes,
                limits.jobTime(),
                kept,
                limits.keptTime(),
                limits.requests(),
                limits.readers(),
                unread,
                1_000_000);
    }

    private static int slow(int millis) throws InterruptedException {
        STARTED.incrementAndGet();
        JobOutput.println("I sleep");
        Thread.sleep(millis);
        return millis;
    }

    /// Ignores interrupts until [#LET_GO].
    private static int stubborn(int value) {
        STARTED.incrementAndGet();
        while (!LET_GO.get()) Thread.onSpinWait();
        return CurrentTask.isCancelled() ? 0 : value;
    }

    private static double longest(Triangle t) {
        return IntStream.range(0, 3)
                .mapToDouble(i -> {
                    Point a = t.corners.get(i), b = t.corners.get((i + 1) % 3);
                    return Math.hypot(a.x - b.x, a.y - b.y);
                })
                .max()
                .orElseThrow();
    }

    private static int talk(Lines wish) {
        for (int i = 0; i < wish.count; i++) {
            JobOutput.reportProgress(i, wish.count);
            JobOutput.println(i + " " + "<b>".repeat(wish.chars / 3));
        }
        JobOutput.reportProgress(wish.count, wish.count);
        return wish.count;
    }

    int port() {
        return service.address().getPort();
    }

    RunningService service() {
        return service;
    }

    String host() {
        return "127.0.0.1:" + port();
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(1000 * HANG_SECONDS);
        return socket;
    }

    static byte[] request(String method, String path, Map<String, String> headers, byte[] body) {
        StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("\r\n");
        byte[] first = head.toString().getBytes(UTF_8);
        byte[] all = Arrays.copyOf(first, first.length + body.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        return all;
    }

    /// @param more headers that replace the default headers; an empty one is omitted
    HttpAnswer ask(String token, String method, String path, String body, String... more) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", host());
        if (!token.isEmpty()) headers.put("Authorization", "Bearer " + token);
        if (method.equals("POST")) headers.put("Content-Type", "application/json");
        if (!body.isEmpty() || method.equals("POST")) {
            headers.put("Content-Length", String.valueOf(body.getBytes(UTF_8).length));
        }
        for (int i = 0; i < more.length; i += 2) headers.put(more[i], more[i + 1]);
        headers.values().removeIf(String::isEmpty);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request(method, path, headers, body.getBytes(UTF_8)));
            return HttpAnswer.read(new BufferedInputStream(socket.getInputStream()));
        }
    }

    HttpAnswer post(String function, String argument, String... more) throws IOException {
        return ask(run, "POST", "/v1/functions/" + function + "/jobs", argument, more);
    }

    /// Calls a function, and returns the job's id without waiting.
    String submit(String function, String argument) throws IOException {
        HttpAnswer answer = post(function, argument);
        if (answer.status() != 202) throw new IllegalStateException(answer.status() + " " + answer.text());
        return answer.headers().get("location").substring("/v1/jobs/".length());
    }

    HttpAnswer get(String path) throws IOException {
        return ask(read, "GET", path, "");
    }

    /// Returns the value of a field of a job, as JSON text without quotes; empty if absent.
    String field(String id, String name) throws IOException {
        return inJson(get("/v1/jobs/" + id).text(), name);
    }

    static String inJson(String json, String name) {
        var found = java.util.regex.Pattern.compile("\"" + name + "\":(\"[^\"]*\"|[^,}\\]]*\\]?)")
                .matcher(json);
        return found.find() ? found.group(1).replace("\"", "") : "";
    }

    void await(String id, String state) throws Exception {
        long end = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
        while (!field(id, "state").equals(state)) {
            if (System.nanoTime() > end)
                throw new AssertionError(get("/v1/jobs/" + id).text());
            Thread.sleep(5);
        }
    }

    /// Returns all events of a job, until the last one.
    List<String> events(String id, String... more) throws IOException {
        HttpAnswer answer = ask(read, "GET", "/v1/jobs/" + id + "/events", "", more);
        List<String> events = new ArrayList<>(Arrays.asList(answer.text().split("\n\n")));
        events.removeIf(event -> event.startsWith(":"));
        return events;
    }

    @Override
    public void close() {
        service.close();
        try {
            pool.close();
        } catch (UnfinishedTasksException e) {
            // jobs of a test may still be running
        }
    }
}
