package org.tutti.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.futures.RankFunction;
import org.tutti.futures.RankPool;
import org.tutti.futures.TaskRefusedException;

/// The requests of clients, and the answers.
class ServiceTest {
    @TempDir
    Path state;

    @Test
    void aCallThatWaitsGetsTheResult() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 2)) {
            HttpAnswer answer = service.post("square", "3.0");
            assertThat(answer.status()).as(answer.text()).isEqualTo(202);
            answer = service.ask(service.run, "POST", "/v1/functions/square/jobs?wait=60", "3.0");
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("9.0");
            String job = answer.headers().get("location");
            assertThat(service.get(job + "/result").text()).isEqualTo("9.0");
            assertThat(service.get(job).text())
                    .contains("\"function\":\"square\",\"state\":\"done\",\"ranks\":[")
                    .contains("\"started\":")
                    .contains("\"ended\":");
            assertThat(service.ask(
                                    service.run,
                                    "POST",
                                    "/v1/functions/longest/jobs?wait=60",
                                    "{\"corners\": [{\"x\": 0, \"y\": 0},\n{\"x\": 3, \"y\": 0}, {\"x\": 3, \"y\": 4}]}")
                            .text())
                    .isEqualTo("5.0");
        }
    }

    @Test
    void aJobPublishesProgressAndOutput() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 1)) {
            String id = service.submit("talk", "{\"count\":3,\"chars\":3}");
            List<String> events = service.events(id);
            List<String> shown = new ArrayList<>();
            for (String event : events) shown.add(event.replaceFirst("id: \\d+\n", ""));
            shown.removeIf(event -> event.contains("\"done\":1,") || event.contains("\"done\":2,"));
            assertThat(shown)
                    .containsExactly(
                            "event: state\ndata: {\"state\":\"queued\"}",
                            shown.get(1),
                            "event: progress\ndata: {\"done\":0,\"total\":3}",
                            "event: output\ndata: {\"rank\":1,\"text\":\"0 <b>\\n\"}",
                            "event: output\ndata: {\"rank\":1,\"text\":\"1 <b>\\n\"}",
                            "event: output\ndata: {\"rank\":1,\"text\":\"2 <b>\\n\"}",
                            "event: progress\ndata: {\"done\":3,\"total\":3}",
                            "event: state\ndata: {\"state\":\"done\"}");
            assertThat(shown.get(1))
                    .startsWith("event: state\n")
                    .contains("\"rank\":1")
                    .contains("\"running\"");
            assertThat(service.field(id, "ranks")).isEqualTo("[1]");
            assertThat(service.get("/v1/jobs/" + id).text()).contains("\"progress\":{\"done\":3,\"total\":3}");
            for (int i = 0; i < events.size(); i++) {
                String last = events.get(i).substring(4, events.get(i).indexOf('\n'));
                assertThat(service.events(id, "Last-Event-ID", last)).isEqualTo(events.subList(i + 1, events.size()));
            }
            for (String wrong : List.of("-1", "1", "99999999", "x", "../../etc/passwd")) {
                assertThat(service.events(id, "Last-Event-ID", wrong)).isEqualTo(events);
            }
        }
    }

    @Test
    void aFailedJobHasRankAndReason() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 1)) {
            HttpAnswer answer = service.ask(service.run, "POST", "/v1/functions/invert/jobs?wait=60", "0");
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.headers()).containsEntry("content-type", "application/problem+json");
            assertThat(answer.text())
                    .contains("ArithmeticException: / by zero")
                    .contains("\"rank\":1")
                    .contains("ServiceUnderTest.lambda")
                    .doesNotContain("JobRunner");
            assertThat(service.get("/v1/jobs?state=failed").text())
                    .contains("\"type\":\"java.lang.ArithmeticException\"");
            answer = service.ask(service.run, "POST", "/v1/functions/bytes/jobs?wait=60", "100000000");
            assertThat(answer.status()).isEqualTo(500);
            assertThat(service.ask(service.run, "POST", "/v1/functions/square/jobs?wait=60", "2")
                            .text())
                    .isEqualTo("4.0");
        }
    }

    @Test
    void aJobIsCancelledInTheQueueAndWhileItRuns() throws Exception {
        ServiceUnderTest.STARTED.set(0);
        ServiceUnderTest.LET_GO.set(false);
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 1)) {
            String running = service.submit("slow", "100000");
            String waiting = service.submit("slow", "100000");
            String last = service.submit("stubborn", "3");
            service.await(running, "running");
            assertThat(service.field(last, "place")).isEqualTo("2");
            assertThat(service.ask(service.run, "DELETE", "/v1/jobs/" + waiting, "")
                            .status())
                    .isEqualTo(202);
            assertThat(service.field(waiting, "state")).isEqualTo("cancelled");
            assertThat(service.field(last, "place")).isEqualTo("1");
            while (ServiceUnderTest.STARTED.get() == 0) Thread.sleep(1);
            assertThat(service.ask(service.run, "DELETE", "/v1/jobs/" + running, "")
                            .status())
                    .isEqualTo(202);
            service.await(running, "cancelled");
            assertThat(service.get("/v1/jobs/" + running + "/result").status()).isEqualTo(410);
            while (ServiceUnderTest.STARTED.get() == 1) Thread.sleep(1);
            HttpAnswer cancelled = service.ask(service.run, "DELETE", "/v1/jobs/" + last, "");
            assertThat(cancelled.text()).as("the worker is still busy").contains("\"cancelling\":true");
            ServiceUnderTest.LET_GO.set(true);
            service.await(last, "cancelled");
            assertThat(service.ask(service.run, "DELETE", "/v1/jobs/" + last, "")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void theQueueIsBoundedAndJobsAreForgotten() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(
                state, 1, s -> s.limits(ServiceUnderTest.limits(3, 1 << 20, 2, Duration.ofSeconds(10))))) {
            String running = service.submit("slow", "100000");
            service.await(running, "running");
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 3; i++) ids.add(service.submit("square", i + ".5"));
            HttpAnswer full = service.post("square", "3.5");
            assertThat(full.status()).isEqualTo(429);
            assertThat(full.headers()).containsEntry("retry-after", "1");
            assertThat(full.text()).contains("3 jobs wait already");
            assertThat(service.get("/v1/jobs?state=queued").text().split("\"id\""))
                    .hasSize(4);
            service.ask(service.run, "DELETE", "/v1/jobs/" + running, "");
            service.await(ids.get(2), "done");
            assertThat(service.get("/v1/jobs/" + running).status()).isEqualTo(404);
            assertThat(service.get("/v1/jobs/" + ids.get(0)).status()).isEqualTo(404);
            assertThat(service.get("/v1/jobs/" + ids.get(1) + "/result").text()).isEqualTo("2.25");
            try (var left = java.nio.file.Files.list(state.resolve("jobs"))) {
                assertThat(left).hasSize(2);
            }
        }
    }

    @Test
    void aKeyMeansOneJob() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 1)) {
            List<HttpAnswer> answers = IntStream.range(0, 20)
                    .parallel()
                    .mapToObj(_ -> {
                        try {
                            return service.post("square", "7", "Idempotency-Key", "order-1");
                        } catch (java.io.IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    })
                    .toList();
            assertThat(answers.stream().map(a -> a.headers().get("location")).distinct())
                    .hasSize(1);
            assertThat(service.post("square", "8", "Idempotency-Key", "order-1").status())
                    .isEqualTo(422);
            assertThat(service.post("slow", "7", "Idempotency-Key", "order-1").status())
                    .isEqualTo(422);
            assertThat(service.post("square", "7", "Idempotency-Key", "a\tb").status())
                    .isEqualTo(400);
        }
    }

    @Test
    void jobsAreListedInPages() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(
                state, 1, s -> s.limits(ServiceUnderTest.limits(300, 1 << 20, 1000, Duration.ofSeconds(10))))) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 103; i++) ids.add(service.submit("square", String.valueOf(i)));
            service.await(ids.getLast(), "done");
            List<String> listed = new ArrayList<>();
            for (String next = ""; !next.equals("null"); ) {
                String page = service.get("/v1/jobs" + (next.isEmpty() ? "" : "?after=" + next))
                        .text();
                java.util.regex.Pattern.compile("\"id\":\"(\\w+)\"")
                        .matcher(page)
                        .results()
                        .forEach(m -> listed.add(m.group(1)));
                next = ServiceUnderTest.inJson(page, "next");
            }
            assertThat(listed).isEqualTo(ids.reversed());
            assertThat(service.get("/v1/jobs?state=lost").text()).isEqualTo("{\"jobs\":[],\"next\":null}");
        }
    }

    @Test
    void aJobFailsAtItsTimeLimit() throws Exception {
        try (ServiceUnderTest service =
                ServiceUnderTest.start(state, 1, s -> s.withTimeLimit(Duration.ofMillis(100)))) {
            HttpAnswer answer = service.ask(service.run, "POST", "/v1/functions/slow/jobs?wait=60", "100000");
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text())
                    .contains("\"type\":\"TaskTimeoutException\"")
                    .contains("interrupted after 0.1 s");
        }
    }

    @Test
    void theOldestOutputIsCut() throws Exception {
        int limit = 1 << 16;
        try (ServiceUnderTest service = ServiceUnderTest.start(
                state, 1, s -> s.limits(ServiceUnderTest.limits(10, limit, 10, Duration.ofSeconds(10))))) {
            String id = service.submit("talk", "{\"count\":3000,\"chars\":90}");
            service.await(id, "done");
            List<String> events = service.events(id);
            assertThat(events.stream().mapToInt(e -> e.length() + 2).sum()).isBetween(limit / 2 - 1000, limit);
            assertThat(events.getFirst()).startsWith("id: ");
            assertThat(events.getLast()).contains("\"done\"");
        }
    }

    @Test
    void numbersForAnOperator() throws Exception {
        try (ServiceUnderTest service = ServiceUnderTest.start(state, 2)) {
            service.ask(service.run, "POST", "/v1/functions/square/jobs?wait=60", "3");
            service.ask("wrong", "GET", "/metrics", "");
            String text = "";
            // an answer and the end of a job are counted only after the answer was sent
            while (!text.contains("401") || !text.contains("tutti_running_jobs 0\n")) {
                text = service.get("/metrics").text();
            }
            assertThat(text)
                    .contains("\ntutti_workers 2\n")
                    .contains("tutti_queue_jobs 0\n")
                    .contains("tutti_jobs_total{state=\"done\"} 1\n")
                    .contains("tutti_auth_failures_total 1\n")
                    .contains("tutti_http_answers_total{status=\"401\"} 1\n");
            for (String line : text.split("\n")) {
                assertThat(line).matches("# (HELP|TYPE) .*|[a-z_]+(\\{[a-z]+=\"\\w+\"\\})? [0-9.E-]+");
            }
        }
    }

    @Test
    void aFunctionThatCannotBeServedIsRefused() {
        try (RankPool pool = RankPool.threads(1)) {
            Service service = Service.of(pool);
            assertThatThrownBy(() -> service.addFunction("Pi", x -> x, Integer.class, Integer.class))
                    .hasMessageStartingWith("addFunction: name=Pi is not a lower-case letter");
            assertThatThrownBy(() -> service.addFunction("a/b", x -> x, Integer.class, Integer.class))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> service.addFunction("run", x -> x, Thread.class, Thread.class))
                    .hasMessage("addFunction: the argument of run: java.lang.Thread has no JSON form; numbers, texts,"
                            + " arrays, enums, records, List, Set, Map and Optional have");
            assertThatThrownBy(() -> service.addFunction("all", x -> x, Object.class, Object.class))
                    .isInstanceOf(IllegalArgumentException.class);
            service.addFunction("a", x -> x, Integer.class, Integer.class);
            assertThatThrownBy(() -> service.addFunction("a", x -> x, Integer.class, Integer.class))
                    .hasMessage("addFunction: name=a is already the name of a function");
            RankFunction<Integer, Integer> noLambda = new RankFunction<>() {
                @Override
                public Integer apply(Integer x) {
                    return x;
                }
            };
            assertThatThrownBy(() -> service.addFunction("b", noLambda, Integer.class, Integer.class))
                    .isInstanceOf(TaskRefusedException.class);
            assertThatThrownBy(() -> service.withTimeLimit(Duration.ZERO))
                    .hasMessageStartingWith("withTimeLimit: limit=PT0S");
            assertThatThrownBy(() -> Service.of(pool).start()).hasMessage("start: the service has no function");
        }
    }
}
