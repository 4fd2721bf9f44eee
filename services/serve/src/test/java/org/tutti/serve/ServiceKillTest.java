package org.tutti.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.futures.RankPool;

/// A service in a separate process is killed by SIGKILL at random moments. Answers to clients remain true after
/// the next start: no job is missing, no result is incomplete, and no started job is run again.
@Tag("ci")
class ServiceKillTest {
    private static final int WORKERS = 2;

    /// Maximum number of jobs after each start: 900 for a hundred starts, because a service retains only the
    /// last thousand.
    private static final int JOBS_A_START = 9;

    @TempDir
    Path directory;

    /// The process of the service; each job writes a file when it begins.
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws IOException {
            try (RankPool pool = RankPool.threads(WORKERS)) {
                Service.of(pool)
                        .settings(ServiceUnderTest.settings(Path.of(args[0])))
                        .addFunction("touch", Main::touch, String.class, String.class)
                        .serve();
            }
        }

        private static String touch(String file) throws Exception {
            Files.createFile(Path.of(file)); // fails if the job runs a second time
            Thread.sleep(5);
            return file.repeat(20);
        }
    }

    private Process start(Path state) throws Exception {
        Files.deleteIfExists(state.resolve("address"));
        String path = System.getProperty("jdk.module.path", "") + ":"
                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
        Path tests = Path.of(ServiceKillTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        path + ":" + tests + ":" + tests.resolveSibling("test-classes"),
                        Main.class.getName(),
                        state.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(directory.resolve("err").toFile())
                .start();
        long end = System.nanoTime() + ServiceUnderTest.HANG_SECONDS * 1_000_000_000L;
        while (!Files.exists(state.resolve("address"))) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new AssertionError(Files.readString(directory.resolve("err")));
            }
            Thread.sleep(2);
        }
        return process;
    }

    private static HttpAnswer ask(Path state, String method, String path, String body) throws IOException {
        URI address = URI.create(Files.readString(state.resolve("address")).strip());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
            socket.setSoTimeout(1000 * ServiceUnderTest.HANG_SECONDS);
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("Host", address.getAuthority());
            headers.put(
                    "Authorization",
                    "Bearer " + Files.readString(state.resolve("run-token")).strip());
            headers.put("Content-Type", "application/json");
            headers.put("Content-Length", String.valueOf(body.length()));
            socket.getOutputStream()
                    .write(ServiceUnderTest.request(method, path, headers, body.getBytes(StandardCharsets.UTF_8)));
            return HttpAnswer.read(new BufferedInputStream(socket.getInputStream()));
        }
    }

    /// A hundred repetitions with `-Pfull`.
    @Test
    void answersToClientsRemainTrueAfterAKill() throws Exception {
        int kills = Boolean.getBoolean("tutti.full") ? 100 : 5;
        long seed = Long.getLong("tutti.serve.seed", System.nanoTime());
        String repeat = "-Dtutti.serve.seed=" + seed;
        SplittableRandom random = new SplittableRandom(seed);
        Path state = directory.resolve("state");
        Map<String, String> files = new HashMap<>(); // by job, for each job that was confirmed to a client
        Process process = start(state);
        for (int kill = 0; kill < kills; kill++) {
            Process own = process;
            long nanos = random.nextLong(1_000_000, 200_000_000);
            Thread killer = Thread.ofVirtual().unstarted(() -> {
                try {
                    TimeUnit.NANOSECONDS.sleep(nanos);
                    own.destroyForcibly();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            for (int i = 0; process.isAlive(); i++) {
                if (i >= JOBS_A_START) {
                    Thread.sleep(1);
                    continue;
                }
                Path file = directory.resolve("job-" + kill + "-" + i);
                try {
                    HttpAnswer answer = ask(state, "POST", "/v1/functions/touch/jobs", "\"" + file + "\"");
                    if (i == 0) killer.start(); // on a busy machine, the first request is slow
                    if (answer.status() != 202) continue; // the queue is full
                    files.put(answer.headers().get("location"), file.toString());
                } catch (IOException e) {
                    break;
                }
            }
            killer.join();
            process.waitFor();
            process = start(state);
        }
        int lost = 0;
        for (Map.Entry<String, String> job : files.entrySet()) {
            String found = "queued";
            while (found.equals("queued") || found.equals("running")) {
                String answer = ask(state, "GET", job.getKey(), "").text();
                assertThat(answer).as(repeat).contains("\"state\"");
                found = ServiceUnderTest.inJson(answer, "state");
            }
            boolean started = Files.exists(Path.of(job.getValue()));
            HttpAnswer result = ask(state, "GET", job.getKey() + "/result", "");
            switch (found) {
                case "done" ->
                    assertThat(result.text())
                            .as(repeat)
                            .isEqualTo("\"" + job.getValue().repeat(20) + "\"");
                case "lost" -> lost++;
                default ->
                    throw new AssertionError(repeat + ": " + found + " " + result.text() + ", started " + started);
            }
        }
        process.destroyForcibly().waitFor();
        assertThat(lost).as(repeat).isLessThanOrEqualTo(kills * WORKERS);
        assertThat(files).as(repeat).hasSizeGreaterThanOrEqualTo(kills);
    }
}
