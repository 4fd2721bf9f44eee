package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.tutti.serve.job.JobQueue;
import org.tutti.serve.job.JobState;
import org.tutti.serve.job.ServedFunction;

/// The documents of the service: the list of functions, and figures for its monitoring.
final class ServiceDocuments {
    private static final int OK = 200;

    private final Map<String, ServedFunction> functions;
    private final JobQueue queue;
    private final EventStream events;
    private final ServiceTokens tokens;
    private final int slots;
    private final Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();

    ServiceDocuments(
            Map<String, ServedFunction> functions,
            JobQueue queue,
            EventStream events,
            ServiceTokens tokens,
            int slots) {
        this.functions = functions;
        this.queue = queue;
        this.events = events;
        this.tokens = tokens;
        this.slots = slots;
    }

    void functions(ServiceRequest request) throws IOException {
        request.allow();
        Map<String, Map<String, Object>> records = new LinkedHashMap<>();
        List<Map<String, Object>> all = functions.values().stream()
                .map(f -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("name", f.name());
                    one.put("text", f.text());
                    one.put("argument", f.argument().schema(records));
                    one.put("result", f.result().schema(records));
                    return one;
                })
                .toList();
        request.json(OK, Map.of("functions", all, "components", Map.of("schemas", records)));
    }

    void openApi(ServiceRequest request) throws IOException {
        request.allow();
        request.json(OK, OpenApiDocument.of(functions.values()));
    }

    /// Counts an answer.
    void answered(int status) {
        answers.computeIfAbsent(status, _ -> new LongAdder()).increment();
    }

    /// Sends the metrics in the text format of Prometheus, 0.0.4.
    void metrics(ServiceRequest request) throws IOException {
        request.allow();
        JobQueue.Counts counts = queue.counts();
        StringBuilder out = new StringBuilder();
        head(out, "tutti_queue_jobs", "gauge", "Waiting jobs.").append(counts.waiting());
        head(out, "tutti_running_jobs", "gauge", "Running jobs.").append(counts.running());
        head(out, "tutti_workers", "gauge", "Ranks that can run jobs.").append(slots);
        head(out, "tutti_event_readers", "gauge", "Readers of events.").append(events.readers());
        head(out, "tutti_auth_failures_total", "counter", "Requests without a valid token.")
                .append(tokens.failures());
        head(out, "tutti_job_seconds_total", "counter", "Total run time of jobs.")
                .append(counts.seconds());
        comment(out, "tutti_jobs_total", "counter", "Ended jobs.");
        for (JobState state : JobState.values()) {
            if (!state.isFinal()) continue;
            long ends = counts.ends().getOrDefault(state, 0L);
            out.append("tutti_jobs_total{state=\"%s\"} %d%n".formatted(state.word(), ends));
        }
        comment(out, "tutti_http_answers_total", "counter", "Answered requests.");
        new TreeMap<>(answers)
                .forEach((status, count) ->
                        out.append("tutti_http_answers_total{status=\"%d\"} %d%n".formatted(status, count.sum())));
        request.send(
                OK, "text/plain; version=0.0.4; charset=utf-8", out.toString().getBytes(UTF_8));
    }

    private static void comment(StringBuilder out, String name, String type, String help) {
        if (!out.isEmpty() && out.charAt(out.length() - 1) != '\n') out.append('\n');
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static StringBuilder head(StringBuilder out, String name, String type, String help) {
        comment(out, name, type, help);
        return out.append(name).append(' ');
    }
}
