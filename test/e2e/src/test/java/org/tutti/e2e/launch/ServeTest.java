package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.HangLimit;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Tests `tutti serve` with the program and the clients of docs/service.md.
class ServeTest extends JobTest {
    private static final String RUN_ROOT = "--allow-run-as-root";

    /// Returns the code block of the page in this language that contains this text.
    private static String block(String language, String text) throws Exception {
        String page = Files.readString(Checkout.ROOT.resolve("docs/service.md"));
        for (String block : page.split("```" + language + "\n")) {
            String code = block.split("```", 2)[0];
            if (code.contains(text)) return code;
        }
        throw new AssertionError("docs/service.md has no block with " + text);
    }

    private static Child serve(Way way, Path where, String... options) throws Exception {
        way.require();
        List<String> arguments = new ArrayList<>(way.run(way.isNative() ? 2 : 3));
        arguments.set(0, "serve");
        arguments.addAll(List.of(
                "--jvm",
                Command.RANKS_FLAG,
                "--port",
                "0",
                "--state",
                where.resolve("state").toString()));
        arguments.addAll(List.of(options));
        arguments.add(where.resolve("App.java").toString());
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments)
                .start();
    }

    private static String token(Path state, String name) throws Exception {
        return Files.readString(state.resolve(name)).strip();
    }

    private static HttpResponse<String> ask(HttpClient client, Path state, String method, String path, String body)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(token(state, "address") + path))
                .header("Authorization", "Bearer " + token(state, "run-token"))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void documentedClientsGetResults(Way way) throws Exception {
        Path where = Checkout.scratch("serve"), state = where.resolve("state");
        Files.writeString(where.resolve("App.java"), block("java", "record Heat("));
        Child service = serve(way, where, RUN_ROOT);
        service.awaitErr("tutti: serving pi, heat at http://127.0.0.1:");
        assertThat(service.errSoFar())
                .contains("tutti: the tokens are in " + state)
                .doesNotContain(token(state, "run-token"))
                .doesNotContain(token(state, "read-token"));
        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThat(ask(client, state, "POST", "/v1/functions/pi/jobs?wait=60", "1000000")
                            .body())
                    .startsWith("3.14159");
            String heat = "{\"steps\": 200, \"rod\": [1, 0, 0, 0]}";
            HttpResponse<String> answer = ask(client, state, "POST", "/v1/functions/heat/jobs?wait=60", heat);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            String job = answer.headers().firstValue("Location").orElseThrow();
            assertThat(ask(client, state, "GET", job + "/events", "").body())
                    .contains("\"text\":\"step 100: ")
                    .contains("\"done\":200,\"total\":200")
                    .contains("\"state\":\"done\"");
        }
        if (way == Way.SHM) {
            assertDocumentedClients(where, state);
            assertTokensAreHidden(state);
        }
        Processes.signal("TERM", service.pid());
        service.await();
    }

    /// Returns the `curl` command of the page, changed for this service.
    private static String curl(Path state) throws Exception {
        String page = Files.readString(Checkout.ROOT.resolve("docs/service.md"));
        int at = page.indexOf("    curl "), end = page.indexOf("\n\n", at);
        assertThat(at).isPositive();
        return page.substring(at, end)
                .replace("tutti-serve/", state + "/")
                .replace("http://127.0.0.1:8080", token(state, "address"));
    }

    private static void assertDocumentedClients(Path where, Path state) throws Exception {
        Files.writeString(where.resolve("Client.java"), block("java", "HttpRequest.newBuilder"));
        Files.writeString(where.resolve("client.py"), block("python", "urllib"));
        for (List<String> client : List.of(
                List.of(
                        Checkout.java(),
                        "-XX:TieredStopAtLevel=1",
                        where.resolve("Client.java").toString()),
                List.of("sh", "-c", curl(state)),
                List.of("python3", where.resolve("client.py").toString()))) {
            if (client.contains("-c") && !Way.isOnPath("curl")) continue;
            List<String> arguments = new ArrayList<>(client);
            arguments.add(state.toString());
            ProcessOutcome outcome = Command.of(arguments).run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out()).as("%s", outcome).startsWith("3.14159");
        }
    }

    /// Asserts that no token appears in the arguments or the environment of a process of the job.
    private static void assertTokensAreHidden(Path state) throws Exception {
        List<Path> files = new ArrayList<>();
        for (long pid : Processes.alive()) {
            for (String name : List.of("cmdline", "environ")) files.add(Path.of("/proc", Long.toString(pid), name));
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            String text = Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
            assertThat(text).as(file.toString()).doesNotContain(token(state, "run-token"), token(state, "read-token"));
        }
    }

    /// The death of a worker ends the job of the service. If restarts are allowed, the next job continues with
    /// the queued tasks.
    @Test
    @Tag("ci")
    void serviceRestartsAfterWorkerDeath() throws Exception {
        Path where = Checkout.scratch("serve"), state = where.resolve("state");
        Files.writeString(where.resolve("App.java"), """
                import org.tutti.futures.*;
                import org.tutti.serve.*;
                static int end(int code) { Runtime.getRuntime().halt(code); return 0; }
                void main() throws Exception {
                    RankPool.run(pool -> {
                        Service.of(pool)
                                .addFunction("end", c -> end(c), Integer.class, Integer.class)
                                .addFunction("same", x -> x, Integer.class, Integer.class)
                                .serve();
                    });
                }
                """);
        Child service = serve(Way.SHM, where, RUN_ROOT, "--max-restarts", "3", "-n", "2");
        service.awaitErr("tutti: serving ");
        try (HttpClient client = HttpClient.newHttpClient()) {
            String end = ask(client, state, "POST", "/v1/functions/end/jobs", "3")
                    .headers()
                    .firstValue("Location")
                    .orElseThrow();
            HangLimit limit = new HangLimit(60);
            String status = "";
            while (!status.contains("\"lost\"") && !limit.isOver()) {
                try {
                    status = ask(client, state, "GET", end, "").body();
                } catch (java.io.IOException e) {
                    Thread.sleep(20); // the service is not available yet
                }
            }
            assertThat(status).as(service.errSoFar()).contains("\"lost\"");
            assertThat(ask(client, state, "POST", "/v1/functions/same/jobs?wait=60", "5")
                            .body())
                    .isEqualTo("5");
        }
        Processes.signal("TERM", service.pid());
        service.await();
    }

    @Test
    @Tag("full")
    void programWithoutServiceFails() throws Exception {
        Path where = Checkout.scratch("serve");
        Files.writeString(where.resolve("App.java"), "void main() { IO.println(\"hello\"); }");
        ProcessOutcome outcome = serve(Way.SHM, where, RUN_ROOT).await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("the program has ended without serving; tutti serve runs programs that call"
                        + " Service.serve(), tutti run all other programs");
    }

    @Test
    @Tag("full")
    void poolInMpiProgramMayServe() throws Exception {
        Path where = Checkout.scratch("serve");
        Files.writeString(where.resolve("App.java"), """
                import org.tutti.futures.*;
                import org.tutti.mpi.*;
                import org.tutti.serve.*;
                void main() throws Exception {
                    try (Mpi mpi = Mpi.init()) {
                        RankPool.run(mpi.world(), 1, pool -> {
                            var service = Service.of(pool).addFunction("same", x -> x, Integer.class, Integer.class);
                            try (var running = service.start()) {
                                IO.println("rank " + mpi.world().rank() + " serves");
                            }
                        });
                    }
                }
                """);
        ProcessOutcome outcome = serve(Way.SHM, where, RUN_ROOT).await();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("rank 1 serves\n");
    }

    @Test
    void invalidServeCommandsAreReported() throws Exception {
        assertThat(Command.here("serve", "--port", "70000", "App.java").err())
                .isEqualTo("tutti: --port 70000: a port is 0 to 65535\n");
        assertThat(Command.here("serve", "--tls", "k.p12", "App.java").err())
                .isEqualTo("tutti: --tls needs --tls-password-file FILE, too\n");
        assertThat(Command.here("serve", "--porf", "1", "App.java").err()).startsWith("tutti: unknown option --porf");
        assertThat(Command.here("serve").err())
                .isEqualTo(
                        "tutti: nothing to serve; name a source file, a main class or a jar: tutti serve -n 5 App.java\n");
        assertThat(Command.here("serve", "--port", "0", "-x", "App.java").err())
                .startsWith("tutti: nothing to serve, for -x took App.java as its NAME[=VALUE]; name a source file");
        assertThat(Command.here("serve", "--help").out())
                .contains("--allow-run-as-root")
                .contains("--state")
                .contains("tutti serve -n 5 App.java");
    }
}
