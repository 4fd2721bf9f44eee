package org.tutti.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a service finds that another one has left.
class ServiceRestartTest {
    @TempDir
    Path state;

    private Path job(String id) {
        return state.resolve("jobs").resolve(id);
    }

    private static void add(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    @Test
    void whatWasQueuedGoesOnAndWhatRanIsLost() throws Exception {
        String running, done, failed;
        List<String> queued = new ArrayList<>();
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            done = first.submit("square", "5");
            failed = first.submit("invert", "0");
            first.await(failed, "failed");
            running = first.submit("slow", "1000000");
            first.await(running, "running");
            for (int i = 0; i < 20; i++) queued.add(first.submit("square", "\n" + i + "\n"));
        }
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            for (int i = 0; i < queued.size(); i++) {
                next.await(queued.get(i), "done");
                assertThat(next.get("/v1/jobs/" + queued.get(i) + "/result").text())
                        .isEqualTo(String.valueOf((double) i * i));
            }
            assertThat(next.field(running, "state")).isEqualTo("lost");
            assertThat(next.get("/v1/jobs/" + running + "/result").status()).isEqualTo(410);
            assertThat(next.get("/v1/jobs/" + done + "/result").text()).isEqualTo("25.0");
            assertThat(next.field(failed, "state")).isEqualTo("failed");
            assertThat(next.field(done, "ranks")).isEqualTo("[1]");
            assertThat(next.events(done).getLast()).contains("\"done\"");
            assertThat(next.events(running).getLast()).contains("\"lost\"");
            assertThat(next.post("square", "6").status()).isEqualTo(202);
        }
    }

    /// A process that is killed while it writes leaves the beginning of what it wrote.
    @Test
    void halfWrittenThingsAreNotThere() throws Exception {
        String queued, done, large;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            done = first.submit("square", "5");
            large = first.submit("bytes", "700000");
            first.await(large, "done");
            String running = first.submit("slow", "1000000");
            first.await(running, "running");
            queued = first.submit("square", "4");
        }
        add(job(queued).resolve("job.jsonl"), "{\"state\":\"RUN");
        add(job(done).resolve("job.jsonl"), "{\"sta");
        add(job(done).resolve("events-0"), "id: 999\nevent: output\ndata: {\"te");
        Files.writeString(job(done).resolve(".new-result.json"), "[1,2");
        Files.createDirectory(job(".new-" + "0".repeat(32)));
        Files.writeString(job(".new-" + "0".repeat(32)).resolve("job.jsonl"), "{\"numb");
        Files.createDirectory(job("1".repeat(32)));
        Files.createDirectory(job("someone-elses"));
        Files.createSymbolicLink(job("2".repeat(32)), job(done));
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            next.await(queued, "done");
            assertThat(next.get("/v1/jobs/" + queued + "/result").text()).isEqualTo("16.0");
            assertThat(next.get("/v1/jobs/" + done + "/result").text()).isEqualTo("25.0");
            assertThat(next.get("/v1/jobs/" + large + "/result").text()).hasSize(933_338);
            assertThat(next.events(done).getLast()).contains("\"done\"");
            assertThat(next.get("/v1/jobs/" + "2".repeat(32)).status()).isEqualTo(404);
            assertThat(job(".new-" + "0".repeat(32))).doesNotExist();
            assertThat(job("someone-elses")).exists();
        }
    }

    @Test
    void aFunctionThatIsNotThereAnyMoreFailsItsJobs() throws Exception {
        String running, other, mistaken;
        try (ServiceUnderTest first =
                ServiceUnderTest.start(state, 1, s -> s.function("gone", x -> x, Integer.class, Integer.class))) {
            running = first.submit("slow", "1000000");
            first.await(running, "running");
            other = first.submit("gone", "1");
            mistaken = first.submit("square", "1");
        }
        Path lines = job(mistaken).resolve("job.jsonl");
        Files.writeString(lines, Files.readString(lines).replace("\"argument\":1", "\"argument\":\"x\""));
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            assertThat(next.get("/v1/jobs/" + other).text()).contains("the program has no function gone any more");
            assertThat(next.get("/v1/jobs/" + mistaken).text()).contains("is none of the program's function any more");
        }
    }

    @Test
    void keysAndTokensOutliveAService() throws Exception {
        String token, where;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            token = first.run;
            where = first.post("square", "2", "Idempotency-Key", "k").headers().get("location");
        }
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            assertThat(next.run).isEqualTo(token);
            assertThat(next.post("square", "2", "Idempotency-Key", "k").headers())
                    .containsEntry("location", where);
        }
    }

    /// A thousand with `-Pfull`.
    @Test
    void manyJobsAreReadAtOnce() throws Exception {
        int count = Boolean.getBoolean("tutti.full") ? 1000 : 110;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            first.await(first.submit("square", "1"), "done");
        }
        Path one;
        try (Stream<Path> jobs = Files.list(state.resolve("jobs"))) {
            one = jobs.findFirst().orElseThrow();
        }
        String lines = Files.readString(one.resolve("job.jsonl"));
        byte[] events = Files.readAllBytes(one.resolve("events-0"));
        for (int i = 2; i <= count; i++) {
            Path made = Files.createDirectory(job("%032x".formatted(i)));
            Files.writeString(
                    made.resolve("job.jsonl"), lines.replace("\"number\":1,", "\"number\":" + i + ","), UTF_8);
            Files.write(made.resolve("events-0"), events);
        }
        try (ServiceUnderTest next = ServiceUnderTest.start(
                state, 1, s -> s.limits(ServiceUnderTest.limits(100, 1 << 20, 1000, Duration.ofSeconds(10))))) {
            assertThat(next.get("/v1/jobs").text().split("\"id\"")).hasSize(101);
            assertThat(next.get("/v1/jobs/" + "%032x".formatted(count) + "/result")
                            .text())
                    .isEqualTo("1.0");
        }
    }
}
