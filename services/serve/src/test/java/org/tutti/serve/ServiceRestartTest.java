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

/// The state that a service reads from the files of a previous one.
class ServiceRestartTest {
    @TempDir
    Path state;

    /// Returns a file in the directory of jobs, for example `ID.jsonl`.
    private Path file(String name) {
        return state.resolve("jobs").resolve(name);
    }

    /// Returns the lines without checksums, as earlier versions wrote them, so that the service does not regard
    /// a test's changes as damage.
    private static String withoutSums(String lines) {
        return lines.replaceAll("\"sum\":\"[0-9a-f]{8}\"", "\"sum\":null");
    }

    private static void add(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    @Test
    void queuedJobsContinueAndRunningJobsAreLost() throws Exception {
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

    /// A process killed during a write has written a prefix of the data.
    @Test
    void halfWrittenThingsAreNotThere() throws Exception {
        String queued, done, large, printing;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            done = first.submit("square", "5");
            printing = first.submit("talk", "{\"count\":3,\"chars\":3}");
            large = first.submit("bytes", "700000");
            first.await(large, "done");
            String running = first.submit("slow", "1000000");
            first.await(running, "running");
            queued = first.submit("square", "4");
        }
        add(file(queued + ".jsonl"), "{\"state\":\"RUN");
        add(file(done + ".jsonl"), "{\"sta");
        add(file(printing + ".events-0"), "id: 999\nevent: output\ndata: {\"te");
        Files.writeString(file(".new-" + done + ".result.json"), "[1,2");
        Files.writeString(file("0".repeat(32) + ".jsonl"), "{\"numb");
        Files.writeString(file("1".repeat(32) + ".events-0"), "id: 0\n");
        Files.createDirectory(file("someone-elses"));
        Files.createSymbolicLink(file("2".repeat(32) + ".jsonl"), file(done + ".jsonl"));
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            next.await(queued, "done");
            assertThat(next.get("/v1/jobs/" + queued + "/result").text()).isEqualTo("16.0");
            assertThat(next.get("/v1/jobs/" + done + "/result").text()).isEqualTo("25.0");
            assertThat(next.get("/v1/jobs/" + large + "/result").text()).hasSize(933_338);
            assertThat(next.events(done).getLast()).contains("\"done\"");
            assertThat(next.get("/v1/jobs/" + "2".repeat(32)).status()).isEqualTo(404);
            assertThat(next.events(printing).getLast()).contains("\"done\"");
            assertThat(file(".new-" + done + ".result.json")).doesNotExist();
            assertThat(file("0".repeat(32) + ".jsonl")).doesNotExist();
            assertThat(file("1".repeat(32) + ".events-0")).doesNotExist();
            assertThat(file("someone-elses")).exists();
        }
    }

    /// If a job has only state events, the service keeps them in memory and writes no event file; the next
    /// service recreates the same events from the job's file.
    @Test
    void statesAreRecreated() throws Exception {
        String done, failed, ran;
        List<String> eventsOfDone, eventsOfFailed, eventsOfRan;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            done = first.submit("square", "5");
            failed = first.submit("invert", "0");
            ran = first.submit("square", "6");
            first.await(ran, "done");
            eventsOfDone = first.events(done);
            eventsOfFailed = first.events(failed);
            eventsOfRan = first.events(ran);
        }
        assertThat(file(done + ".events-0")).doesNotExist();
        // the file as it is while the job runs, when readers have already received the `running` event
        List<String> lines = Files.readAllLines(file(ran + ".jsonl"));
        Files.write(file(ran + ".jsonl"), lines.subList(0, 3));
        String seen = id(eventsOfRan.get(1));
        for (int i = 0; i < 2; i++) {
            try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
                assertThat(next.events(done)).isEqualTo(eventsOfDone).hasSize(3);
                assertThat(next.events(failed)).isEqualTo(eventsOfFailed).hasSize(3);
                assertThat(next.events(done, "Last-Event-ID", id(eventsOfDone.get(1))))
                        .isEqualTo(eventsOfDone.subList(2, 3));
                assertThat(next.field(ran, "state")).isEqualTo("lost");
                assertThat(next.events(ran, "Last-Event-ID", seen).getLast()).contains("\"lost\"");
            }
        }
    }

    /// Simulates a kill between the write of a state's line and the write of the state event, or during either
    /// write.
    @Test
    void aTruncatedEndIsPublishedOrLost() throws Exception {
        String printed, ran, cut;
        List<String> eventsOfPrinted, eventsOfRan;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            printed = first.submit("talk", "{\"count\":3,\"chars\":3}");
            ran = first.submit("square", "5");
            cut = first.post("square", "6", "Idempotency-Key", "k").headers().get("location");
            cut = cut.substring(cut.lastIndexOf('/') + 1);
            first.await(cut, "done");
            eventsOfPrinted = first.events(printed);
            eventsOfRan = first.events(ran);
        }
        String events = Files.readString(file(printed + ".events-0"));
        Files.writeString(file(printed + ".events-0"), events.substring(0, events.lastIndexOf("id: ")));
        Files.write(
                file(ran + ".jsonl"), Files.readAllLines(file(ran + ".jsonl")).subList(0, 3));
        Files.createFile(file(ran + ".events-0"));
        // the result exists, but the line for the state does not
        Files.write(
                file(cut + ".jsonl"), Files.readAllLines(file(cut + ".jsonl")).subList(0, 4));
        for (int i = 0; i < 2; i++) {
            try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
                assertThat(next.events(printed)).isEqualTo(eventsOfPrinted);
                assertThat(next.events(ran, "Last-Event-ID", id(eventsOfRan.get(0)))
                                .getLast())
                        .contains("\"lost\"");
                assertThat(next.field(cut, "state")).isEqualTo("lost");
                assertThat(next.post("square", "6", "Idempotency-Key", "k")
                                .headers()
                                .get("location"))
                        .endsWith(cut);
            }
        }
    }

    private static String id(String event) {
        return event.substring(4, event.indexOf('\n'));
    }

    @Test
    void aFunctionThatIsNotThereAnyMoreFailsItsJobs() throws Exception {
        String running, other, mistaken;
        try (ServiceUnderTest first =
                ServiceUnderTest.start(state, 1, s -> s.addFunction("removed", x -> x, Integer.class, Integer.class))) {
            running = first.submit("slow", "1000000");
            first.await(running, "running");
            other = first.submit("removed", "1");
            mistaken = first.submit("square", "1");
        }
        Path lines = file(mistaken + ".jsonl");
        Files.writeString(lines, withoutSums(Files.readString(lines)).replace("\"argument\":1", "\"argument\":\"x\""));
        try (ServiceUnderTest next = ServiceUnderTest.start(state, 1)) {
            assertThat(next.get("/v1/jobs/" + other).text()).contains("the program has no function removed any more");
            assertThat(next.get("/v1/jobs/" + mistaken).text())
                    .contains("the argument no longer has the function's type");
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

    /// A thousand jobs with `-Pfull`.
    @Test
    void manyJobsAreReadAtOnce() throws Exception {
        int count = Boolean.getBoolean("tutti.full") ? 1000 : 110;
        try (ServiceUnderTest first = ServiceUnderTest.start(state, 1)) {
            first.await(first.submit("square", "1"), "done");
        }
        String lines;
        try (Stream<Path> jobs = Files.list(state.resolve("jobs"))) {
            lines = withoutSums(Files.readString(jobs.findFirst().orElseThrow()));
        }
        for (int i = 2; i <= count; i++) {
            Files.writeString(
                    file("%032x.jsonl".formatted(i)), lines.replace("\"number\":1,", "\"number\":" + i + ","), UTF_8);
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
