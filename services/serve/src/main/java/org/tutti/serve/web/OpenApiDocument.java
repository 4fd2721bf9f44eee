package org.tutti.serve.web;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.serve.job.JobState;
import org.tutti.serve.job.ServedFunction;

/// The OpenAPI 3.1 document of the service, from the types of the functions, so that clients can be generated.
final class OpenApiDocument {
    private static final String JSON = "application/json", PROBLEM = "application/problem+json";
    private static final Map<String, Object> TEXT = Map.of("type", "string");
    private static final Map<String, Object> TIME = Map.of("type", "string", "format", "date-time");
    private static final Map<String, Object> WHOLE = Map.of("type", "integer");
    private static final Map<String, Object> ID =
            Map.of("name", "id", "in", "path", "required", true, "schema", Map.of("type", "string"));

    private OpenApiDocument() {}

    static Map<String, Object> of(Collection<ServedFunction> functions) {
        Map<String, Map<String, Object>> schemas = new LinkedHashMap<>();
        Map<String, Object> paths = new LinkedHashMap<>();
        paths.put("/v1/functions", Map.of("get", operation("functions", "Lists the functions.", any(), List.of())));
        for (ServedFunction f : functions) paths.put("/v1/functions/" + f.name() + "/jobs", call(f, schemas));
        // names of a program's records do not begin with an underscore
        schemas.put("_Job", jobSchema());
        schemas.put("_Problem", problemSchema());
        paths.put("/v1/jobs", Map.of("get", list()));
        paths.put(
                "/v1/jobs/{id}",
                Map.of(
                        "get", operation("job", "Returns the state of a job.", reference("_Job"), List.of(ID)),
                        "delete", cancel()));
        paths.put(
                "/v1/jobs/{id}/result",
                Map.of("get", operation("result", "Returns the result of a completed job.", any(), List.of(ID))));
        paths.put("/v1/jobs/{id}/events", Map.of("get", events()));
        paths.put("/metrics", Map.of("get", metrics()));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("openapi", "3.1.0");
        all.put("info", Map.of("title", "Functions of a Tutti service", "version", "1"));
        all.put("paths", paths);
        all.put(
                "components",
                Map.of(
                        "schemas",
                        schemas,
                        "securitySchemes",
                        Map.of("token", Map.of("type", "http", "scheme", "bearer"))));
        all.put("security", List.of(Map.of("token", List.of())));
        return all;
    }

    private static Map<String, Object> any() {
        return Map.of();
    }

    private static Map<String, Object> reference(String name) {
        return Map.of("$ref", "#/components/schemas/" + name);
    }

    private static Map<String, Object> content(String text, String type, Map<String, Object> schema) {
        return Map.of("description", text, "content", Map.of(type, Map.of("schema", schema)));
    }

    private static Map<String, Object> operation(
            String id, String text, Map<String, Object> schema, List<Object> parameters) {
        return operation(id, text, parameters, Map.of("200", content(text, JSON, schema)));
    }

    private static Map<String, Object> operation(
            String id, String text, List<Object> parameters, Map<String, Object> answers) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("operationId", id);
        all.put("summary", text);
        if (!parameters.isEmpty()) all.put("parameters", parameters);
        Map<String, Object> responses = new TreeMap<>(answers);
        responses.put("default", content("The problem.", PROBLEM, reference("_Problem")));
        all.put("responses", responses);
        return all;
    }

    /// Returns the description of an answer with a job that may still be running.
    private static Map<String, Object> later(String text) {
        return content(text, JSON, reference("_Job"));
    }

    private static Map<String, Object> call(ServedFunction f, Map<String, Map<String, Object>> schemas) {
        List<Object> parameters = List.of(
                parameter(
                        "wait",
                        "query",
                        "Seconds to wait for the result.",
                        Map.of("type", "integer", "minimum", 0, "maximum", 60)),
                parameter("Idempotency-Key", "header", "Calls with the same key refer to the same job.", TEXT));
        String text = f.text().isEmpty() ? "Calls " + f.name() + "." : f.text();
        Map<String, Object> answers = Map.of(
                "200", content("The result.", JSON, f.result().schema(schemas)), "202", later("The unfinished job."));
        Map<String, Object> all = operation("call_" + f.name(), text, parameters, answers);
        all.put(
                "requestBody",
                Map.of(
                        "required",
                        true,
                        "content",
                        Map.of(JSON, Map.of("schema", f.argument().schema(schemas)))));
        return Map.of("post", all);
    }

    private static Map<String, Object> parameter(String name, String in, String text, Map<String, Object> schema) {
        return Map.of("name", name, "in", in, "description", text, "schema", schema);
    }

    private static Map<String, Object> list() {
        List<String> names =
                List.of(JobState.values()).stream().map(JobState::word).toList();
        List<Object> parameters = List.of(
                parameter("state", "query", "Only jobs in this state.", Map.of("type", "string", "enum", names)),
                parameter("after", "query", "Only jobs that are older than this one.", TEXT));
        Map<String, Object> page = Map.of(
                "type",
                "object",
                "properties",
                Map.of(
                        "jobs", Map.of("type", "array", "items", reference("_Job")),
                        "next", Map.of("type", List.of("string", "null"))));
        return operation("jobs", "Lists jobs, the newest first.", page, parameters);
    }

    private static Map<String, Object> cancel() {
        Map<String, Object> answers =
                Map.of("200", later("The job, already ended."), "202", later("The job, being cancelled."));
        return operation("cancel", "Cancels a job.", List.of(ID), answers);
    }

    private static Map<String, Object> events() {
        List<Object> parameters = List.of(
                ID,
                parameter(
                        "Last-Event-ID",
                        "header",
                        "The last received event; the stream continues with the next one.",
                        TEXT));
        Map<String, Object> answers =
                Map.of("200", content("Events state, progress, output and gap.", "text/event-stream", TEXT));
        return operation("events", "Streams the events of a job.", parameters, answers);
    }

    private static Map<String, Object> metrics() {
        Map<String, Object> answers = Map.of("200", content("Metrics.", "text/plain", TEXT));
        return operation("metrics", "Metrics for Prometheus.", List.of(), answers);
    }

    private static Map<String, Object> jobSchema() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("id", TEXT);
        properties.put("function", TEXT);
        properties.put(
                "state",
                Map.of(
                        "type",
                        "string",
                        "enum",
                        List.of(JobState.values()).stream().map(JobState::word).toList()));
        properties.put("place", WHOLE);
        properties.put("ranks", Map.of("type", "array", "items", WHOLE));
        properties.put("progress", Map.of("type", "object", "properties", Map.of("done", WHOLE, "total", WHOLE)));
        properties.put("cancelling", Map.of("type", "boolean"));
        properties.put("created", TIME);
        properties.put("started", TIME);
        properties.put("ended", TIME);
        Map<String, Object> error = Map.of(
                "type",
                TEXT,
                "message",
                TEXT,
                "rank",
                Map.of("type", List.of("integer", "null")),
                "stack",
                Map.of("type", "array", "items", TEXT));
        properties.put("error", Map.of("type", "object", "properties", error));
        return Map.of(
                "type",
                "object",
                "properties",
                properties,
                "required",
                List.of("id", "function", "state", "ranks", "created"));
    }

    private static Map<String, Object> problemSchema() {
        return Map.of(
                "type", "object",
                "properties", Map.of("status", WHOLE, "detail", TEXT),
                "required", List.of("status", "detail"));
    }
}
