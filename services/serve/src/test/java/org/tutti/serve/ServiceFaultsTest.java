package org.tutti.serve;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.serve.job.ServiceLimits;

/// Failures of disks, files and clients.
class ServiceFaultsTest {
    /// A number of connections that exceeds the service's maximum.
    private static final int CROWD = 1700;

    @TempDir
    Path dir;

    private Path file(String name) {
        return dir.resolve("jobs").resolve(name);
    }

    /// Runs `body` and returns the output on stderr.
    private static String printed(Callable<?> body) throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setErr(new PrintStream(text, true, UTF_8));
        try {
            body.call();
        } finally {
            System.setErr(before);
        }
        return text.toString(UTF_8);
    }

    // ---- starts that fail

    @Test
    void aStartThatFailsLeavesNothingOpen() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        // the last step of a start is to write `address` by renaming a file, which fails because the target is
        // this directory
        Path blocked = Files.createDirectories(dir.resolve("state/address/full"));
        Path own = dir.resolve("state");
        Files.setPosixFilePermissions(own, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        ServiceSettings settings = new ServiceSettings(own, port, null, List.of(), null, null, false, true);
        assertThatThrownBy(() -> ServiceUnderTest.start(own, 1, s -> s.settings(settings)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(own.resolve("address") + ": ");
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
        Files.delete(blocked);
        Files.delete(blocked.getParent());
        try (ServiceUnderTest service = ServiceUnderTest.start(own, 1, s -> s.settings(settings))) {
            assertThat(service.post("square", "2").status()).isEqualTo(202);
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Path text = Files.writeString(dir.resolve("text"), "");
        assertThatThrownBy(() -> ServiceUnderTest.start(Path.of("/"), 1))
                .isInstanceOf(IOException.class)
                .hasMessage("--state / is the root directory; name one below it");
        assertThatThrownBy(() -> ServiceUnderTest.start(text.resolve("x"), 1))
                .isInstanceOf(IOException.class)
                .hasMessage("the service's directory " + text.resolve("x") + " cannot be created: " + text
                        + " is not a directory");
        Files.delete(text);
        ServiceUnderTest.start(dir.resolve("state"), 1).close();
        Path jobs = dir.resolve("state/jobs");
        Files.delete(jobs);
        Files.writeString(jobs, "");
        assertThatThrownBy(() -> ServiceUnderTest.start(dir.resolve("state"), 1))
                .isInstanceOf(IOException.class)
                .hasMessage(jobs + ": already exists");
    }

    @Test
    void anErrorTextNeverHasAToken() throws Exception {
        ServiceUnderTest.start(dir.resolve("state"), 1).close();
        Path run = dir.resolve("state/run-token"), read = dir.resolve("state/read-token");
        String token = Files.readString(run).strip();
        Files.write(read, Files.readAllBytes(run));
        assertThatThrownBy(() -> ServiceUnderTest.start(dir.resolve("state"), 1))
                .isInstanceOf(IOException.class)
                .hasMessage(read + " contains the run token; delete the file to create a new token")
                .satisfies(e -> assertThat(e.toString()).doesNotContain(token));
        Files.write(read, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(() -> ServiceUnderTest.start(dir.resolve("state"), 1))
                .hasMessage(read + " does not contain a token; delete the file to create a new token");
    }

    // ---- stored files

    @Test
    void aDamagedJobCostsNoOther() throws Exception {
        String function, argument, changed, whole, none;
        try (ServiceUnderTest first = ServiceUnderTest.start(dir, 1)) {
            String running = first.submit("slow", "1000000");
            first.await(running, "running");
            function = first.submit("square", "11");
            argument = first.submit("square", "12");
            changed = first.submit("square", "13");
            none = first.submit("square", "14");
            whole = first.submit("square", "15");
        }
        replace(function, "square", "squarf");
        replace(argument, "{\"argument\":", "{\"a");
        replace(changed, "13}", "93}");
        replace(none, "{\"number\"", "[\"number\"");
        String log = printed(() -> {
            try (ServiceUnderTest next = ServiceUnderTest.start(dir, 1)) {
                next.await(whole, "done");
                for (String id : List.of(function, argument, changed)) {
                    assertThat(next.field(id, "state")).isEqualTo("failed");
                    assertThat(next.get("/v1/jobs/" + id).text()).contains("the file is damaged");
                }
                assertThat(next.get("/v1/jobs/" + none).status()).isEqualTo(404);
            }
            return null;
        });
        for (String id : List.of(function, argument, changed)) assertThat(log).contains(id + ".jsonl is damaged");
        assertThat(log).contains(none + ".jsonl is not a job and is ignored");
        assertThat(file(none + ".jsonl")).exists();
    }

    @Test
    void aJobWithoutItsEndIsLostAndNamed() throws Exception {
        String inside, atLine;
        try (ServiceUnderTest first = ServiceUnderTest.start(dir, 1)) {
            inside = first.submit("square", "11");
            atLine = first.submit("square", "12");
            for (String id : List.of(inside, atLine)) first.await(id, "done");
        }
        byte[] all = Files.readAllBytes(file(inside + ".jsonl"));
        Files.write(file(inside + ".jsonl"), Arrays.copyOf(all, all.length - 10));
        Files.write(
                file(atLine + ".jsonl"),
                Files.readAllLines(file(atLine + ".jsonl")).subList(0, 3));
        String log = printed(() -> {
            try (ServiceUnderTest next = ServiceUnderTest.start(dir, 1)) {
                for (String id : List.of(inside, atLine))
                    assertThat(next.field(id, "state")).isEqualTo("lost");
            }
            return null;
        });
        for (String id : List.of(inside, atLine)) {
            assertThat(log).contains(file(id + ".jsonl") + " does not contain the end of the job; the job is lost");
        }
    }

    private void replace(String id, String text, String other) throws IOException {
        Path lines = file(id + ".jsonl");
        String before = Files.readString(lines), after = before.replace(text, other);
        assertThat(after).isNotEqualTo(before);
        Files.writeString(lines, after);
    }

    @Test
    void twoJobsWithOneNumberBothRun() throws Exception {
        List<String> ids = new ArrayList<>();
        try (ServiceUnderTest first = ServiceUnderTest.start(dir, 1)) {
            String running = first.submit("slow", "1000000");
            first.await(running, "running");
            for (int i = 0; i < 3; i++) ids.add(first.submit("square", String.valueOf(i)));
        }
        // such a copy can result from a backup, or from a merge of two directories
        String copy = "c".repeat(32);
        Files.copy(file(ids.get(1) + ".jsonl"), file(copy + ".jsonl"));
        ids.add(copy);
        String log = printed(() -> {
            try (ServiceUnderTest next = ServiceUnderTest.start(dir, 1)) {
                for (String id : ids) next.await(id, "done");
                assertThat(next.get("/v1/jobs").text().split("\"id\"")).hasSize(6);
            }
            return null;
        });
        assertThat(log).contains("of a different job, and is placed last");
    }

    @Test
    void anUnreadableResultIsReported() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1)) {
            String removed = service.submit("bytes", "100000"), small = service.submit("square", "5");
            String flipped = service.submit("bytes", "100000");
            for (String id : List.of(removed, small, flipped)) service.await(id, "done");
            Files.delete(file(removed + ".result.json"));
            byte[] result = Files.readAllBytes(file(flipped + ".result.json"));
            result[1000] ^= 2;
            Files.write(file(flipped + ".result.json"), result);
            replace(small, "25.0", "26.0");
            String log = printed(() -> {
                for (String id : List.of(removed, small, flipped)) {
                    HttpAnswer answer = service.get("/v1/jobs/" + id + "/result");
                    assertThat(answer.status()).as(id).isEqualTo(500);
                    assertThat(answer.text())
                            .contains("a file of the service cannot be read; see the log of the service");
                }
                return null;
            });
            assertThat(log)
                    .contains(file(removed + ".result.json") + ": does not exist")
                    .contains(file(flipped + ".result.json") + ": is damaged, or " + file(flipped + ".jsonl")
                            + " is: the result's sum differs")
                    .contains(file(small + ".jsonl") + ": is damaged: the result's sum differs");
            assertThat(service.get("/v1/jobs").status()).isEqualTo(200);
        }
    }

    @Test
    void aJobWithADamagedTimeIsKept() throws Exception {
        String small, large;
        try (ServiceUnderTest first = ServiceUnderTest.start(dir, 1)) {
            small = first.submit("square", "5");
            large = first.submit("bytes", "100000");
            for (String id : List.of(small, large)) first.await(id, "done");
        }
        for (String id : List.of(small, large)) {
            List<String> lines = Files.readAllLines(file(id + ".jsonl"));
            String end = lines.getLast();
            assertThat(end).contains("\"at\":\"20");
            replace(id, end, end.replace("\"at\":\"20", "\"at\":\"00"));
        }
        String log = printed(() -> {
            try (ServiceUnderTest next = ServiceUnderTest.start(dir, 1)) {
                for (String id : List.of(small, large)) {
                    assertThat(next.field(id, "state")).isEqualTo("done");
                    assertThat(next.get("/v1/jobs/" + id + "/result").status()).isEqualTo(500);
                }
            }
            return null;
        });
        for (String id : List.of(small, large)) assertThat(log).contains(file(id + ".jsonl") + " is damaged");
    }

    @Test
    void anErrorThatIsLongerThanALineIsKept() throws Exception {
        String failed;
        try (ServiceUnderTest first = ServiceUnderTest.start(
                dir, 1, s -> s.addFunction("fail", n -> fail(n), Integer.class, Integer.class))) {
            failed = first.submit("fail", "2000000");
            first.await(failed, "failed");
            assertThat(first.field(first.submit("fail", "1"), "state")).isNotEmpty();
        }
        try (ServiceUnderTest next = ServiceUnderTest.start(dir, 1)) {
            assertThat(next.field(failed, "state")).isEqualTo("failed");
            assertThat(next.get("/v1/jobs/" + failed).text()).contains("xxxx").contains("\\ud800");
        }
    }

    private static int fail(int chars) {
        throw new IllegalStateException("\ud800" + "x".repeat(chars));
    }

    @Test
    void outputIsNotSplitInsideOfACharacter() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(
                dir, 1, s -> s.addFunction("emoji", n -> emoji(n), Integer.class, String.class))) {
            HttpAnswer answer = service.ask(service.run, "POST", "/v1/functions/emoji/jobs?wait=60", "16383");
            assertThat(answer.text()).isEqualTo("\"\\ud83d\"");
            String id = answer.headers().get("location").substring("/v1/jobs/".length());
            assertThat(String.join("", service.events(id))).contains("\"\\uD83D\\uDE00\\n\"");
        }
    }

    private static String emoji(int chars) {
        JobOutput.println("x".repeat(chars) + "😀");
        return "😀".substring(0, 1);
    }

    // ---- events

    @Test
    void aReaderGetsAGapForRemovedEvents() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(
                dir, 1, s -> s.limits(ServiceUnderTest.limits(10, 1 << 16, 10, Duration.ofSeconds(10))))) {
            String id = service.submit("talk", "{\"count\":3000,\"chars\":90}");
            service.await(id, "done");
            List<String> all = service.events(id);
            String first = all.getFirst().substring(4, all.getFirst().indexOf('\n'));
            List<String> after = service.events(id, "Last-Event-ID", "0");
            assertThat(after.getFirst()).isEqualTo("event: gap\ndata: {\"after\":0,\"first\":" + first + "}");
            assertThat(after.subList(1, after.size())).isEqualTo(all);
            assertThat(service.events(id, "Last-Event-ID", first)).isEqualTo(all.subList(1, all.size()));
        }
    }

    @Test
    void eventsBeforeADamagedFileAreLeftOut() throws Exception {
        String id;
        int limit = 1 << 16;
        try (ServiceUnderTest first = ServiceUnderTest.start(
                dir, 1, s -> s.limits(ServiceUnderTest.limits(10, limit, 10, Duration.ofSeconds(10))))) {
            id = first.submit("talk", "{\"count\":400,\"chars\":90}");
            first.await(id, "done");
        }
        byte[] events = Files.readAllBytes(file(id + ".events-0"));
        Files.write(file(id + ".events-0"), Arrays.copyOf(events, events.length / 2));
        String log = printed(() -> {
            try (ServiceUnderTest next = ServiceUnderTest.start(
                    dir, 1, s -> s.limits(ServiceUnderTest.limits(10, limit, 10, Duration.ofSeconds(10))))) {
                assertThat(next.events(id).getLast()).contains("\"done\"");
            }
            return null;
        });
        assertThat(log).contains(id + ".events-0 is damaged");
    }

    // ---- clients

    @Test
    void aBodyIsUtf8() throws Exception {
        try (ServiceUnderTest service =
                ServiceUnderTest.start(dir, 1, s -> s.addFunction("echo", x -> x, String.class, String.class))) {
            byte[] utf16 = "\"\u0a0d\"".getBytes(UTF_16BE), half = {'"', (byte) 0xc3, '"'};
            byte[] cesu = {'"', (byte) 0xed, (byte) 0xa0, (byte) 0xbd, (byte) 0xed, (byte) 0xb8, (byte) 0x80, '"'};
            byte[] overlong = {'"', (byte) 0xc0, (byte) 0xaf, '"'};
            for (byte[] body : List.of(utf16, half, cesu, overlong)) {
                assertThat(post(service, body).status())
                        .as(Arrays.toString(body))
                        .isEqualTo(400);
            }
            assertThat(post(service, "\"é😀\"".getBytes(UTF_8)).text()).isEqualTo("\"é\\uD83D\\uDE00\"");
        }
    }

    private static Map<String, String> jsonHeaders(ServiceUnderTest service, int length) {
        return Map.of(
                "Host",
                service.host(),
                "Authorization",
                "Bearer " + service.run,
                "Content-Type",
                "application/json",
                "Content-Length",
                String.valueOf(length));
    }

    private static HttpAnswer post(ServiceUnderTest service, byte[] body) throws IOException {
        try (Socket socket = service.connect()) {
            Map<String, String> headers = jsonHeaders(service, body.length);
            socket.getOutputStream()
                    .write(ServiceUnderTest.request("POST", "/v1/functions/echo/jobs?wait=60", headers, body));
            return HttpAnswer.read(new BufferedInputStream(socket.getInputStream()));
        }
    }

    @Test
    void aSlowReaderOfAResultKeepsNoRequestOut() throws Exception {
        ServiceLimits defaults = ServiceLimits.DEFAULTS;
        ServiceLimits one = new ServiceLimits(
                10, 64 << 20, 1 << 20, defaults.jobTime(), 10, defaults.keptTime(), 1, 2, Duration.ofSeconds(60), 1000);
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1, s -> s.limits(one))) {
            String id = service.submit("bytes", "30000000");
            service.await(id, "done");
            List<Socket> slow = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) awaitOk(() -> slowReader(service, id, slow));
                awaitOk(() -> service.get("/v1/jobs").status());
                assertThat(service.get("/v1/jobs/" + id + "/result").status()).isEqualTo(503);
            } finally {
                for (Socket socket : slow) socket.close();
            }
        }
    }

    /// Requests the result and reads only the head of the response. Returns the status.
    private static int slowReader(ServiceUnderTest service, String id, List<Socket> slow) throws Exception {
        Socket socket = service.connect();
        slow.add(socket);
        Map<String, String> headers = Map.of("Host", service.host(), "Authorization", "Bearer " + service.read);
        byte[] request = ServiceUnderTest.request("GET", "/v1/jobs/" + id + "/result", headers, new byte[0]);
        socket.getOutputStream().write(request);
        return HttpAnswer.head(socket.getInputStream()).status();
    }

    /// Repeats a request that is refused because the previous one still occupies the only slot for a moment.
    private static void awaitOk(Callable<Integer> request) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        int status = request.call();
        while (status == 503 && System.nanoTime() < end) status = request.call();
        assertThat(status).isEqualTo(200);
    }

    @Test
    void clientsWithATokenDoNotBlockOtherClients() throws Exception {
        ServiceLimits defaults = ServiceLimits.DEFAULTS;
        ServiceLimits one = new ServiceLimits(
                10, 64 << 20, 1 << 20, defaults.jobTime(), 10, defaults.keptTime(), 1, 2, Duration.ofSeconds(60), 1000);
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1, s -> s.limits(one));
                Socket waits = service.connect()) {
            String id = service.submit("slow", "1000000");
            service.await(id, "running");
            Map<String, String> headers = jsonHeaders(service, 1);
            byte[] request =
                    ServiceUnderTest.request("POST", "/v1/functions/square/jobs?wait=60", headers, "1".getBytes(UTF_8));
            waits.getOutputStream().write(request);
            while (jobs(dir) < 2) {
                Thread.sleep(1);
                if (waits.getInputStream().available() == 0) continue;
                HttpAnswer.read(waits.getInputStream()); // the previous request still occupied the only slot
                waits.getOutputStream().write(request);
            }
            assertThat(service.get("/v1/jobs").status()).isEqualTo(503);
            assertThat(service.ask("", "GET", "/", "").status()).isEqualTo(200);
            assertThat(service.ask("", "GET", "/page.js", "").status()).isEqualTo(200);
        }
    }

    /// Counts jobs, not files, because a job may have several files, and a file has a temporary name while it
    /// is being written.
    private static long jobs(Path dir) {
        return Stream.of(dir.resolve("jobs").toFile().list())
                .filter(name -> !name.startsWith("."))
                .map(name -> name.replaceFirst("[.].*", ""))
                .distinct()
                .count();
    }

    @Test
    void aBodyThatNoRouteUsesIsSkipped() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1)) {
            assertThat(service.ask(service.read, "GET", "/v1/jobs", "x".repeat(100_000))
                            .status())
                    .isEqualTo(200);
            assertThat(service.ask(service.read, "GET", "/v1/jobs", "", "Content-Length", "100000000")
                            .status())
                    .isEqualTo(413);
        }
    }

    /// A request must have arrived within ten seconds; the answer may need longer.
    @Test
    @Tag("ci")
    void anUnusedBodyDoesNotAbortTheAnswer() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1)) {
            String id = service.submit("slow", "12000");
            HttpAnswer events = service.ask(service.read, "GET", "/v1/jobs/" + id + "/events", "{}");
            assertThat(events.text()).contains("\"done\"");
        }
    }

    /// All connections belong to this user, so for the service they come from the same peer as the client with
    /// a token.
    @Test
    @Tag("ci")
    void connectionsWithoutATokenDoNotBlockClients() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (ServiceUnderTest service = ServiceUnderTest.start(dir, 1)) {
            for (int i = 0; i < CROWD; i++) {
                Socket socket = service.connect();
                idle.add(socket);
                if (i % 2 == 0) socket.getOutputStream().write("GET /v1/jobs HT".getBytes(UTF_8));
            }
            for (int i = 0; i < 20; i++) {
                HttpAnswer answer = service.ask(service.run, "POST", "/v1/functions/square/jobs?wait=60", "3");
                assertThat(answer.text()).isEqualTo("9.0");
            }
        } finally {
            for (Socket socket : idle) socket.close();
        }
    }
}
