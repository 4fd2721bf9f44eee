package org.tutti.serve.web;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.job.JobError;
import org.tutti.serve.job.JobQueue;
import org.tutti.serve.job.JobState;
import org.tutti.serve.job.ServedFunction;
import org.tutti.serve.job.ServiceJob;
import org.tutti.serve.json.JsonException;
import org.tutti.serve.json.JsonTypes;

/// Requests about jobs.
final class JobRequests {
    private static final String JSON = "application/json";
    private static final int OK = 200, ACCEPTED = 202;
    private static final int MOST_WAIT_SECONDS = 60, MOST_KEY_CHARS = 200, PAGE = 100;
    private static final long MILLIS = 1000;

    private final Map<String, ServedFunction> functions;
    private final JobQueue queue;
    private final EventStream events;

    JobRequests(Map<String, ServedFunction> functions, JobQueue queue, EventStream events) {
        this.functions = functions;
        this.queue = queue;
        this.events = events;
    }

    // ---- new jobs

    void post(ServiceRequest request) throws IOException, InterruptedException {
        request.allow("wait");
        long millis = MILLIS * number(request, "wait", 0, MOST_WAIT_SECONDS);
        ServedFunction function = functions.get(request.parameter());
        if (function == null) throw new Problem(Problem.NOT_FOUND, "no such function; see /v1/functions");
        String key = request.header("Idempotency-Key");
        if (key != null && !key.matches("[!-~]{1," + MOST_KEY_CHARS + "}")) {
            throw new Problem(
                    Problem.BAD_REQUEST, "an Idempotency-Key has 1 to " + MOST_KEY_CHARS + " visible characters");
        }
        byte[] body = request.body();
        ServiceJob job = add(function, body, key);
        request.headers().put("Location", "/v1/jobs/" + job.id());
        if (millis > 0 && job.awaitEnd(millis)) result(request, job);
        else request.json(ACCEPTED, document(job));
    }

    private ServiceJob add(ServedFunction function, byte[] body, @Nullable String key) {
        try {
            return queue.add(function, body, JsonTypes.read(body, function.argument()), key);
        } catch (JsonException e) {
            throw new Problem(Problem.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (JobQueue.FullException e) {
            throw new Problem(Problem.TOO_MANY, String.valueOf(e.getMessage())).header("Retry-After", "1");
        } catch (JobQueue.KeyException e) {
            throw new Problem(Problem.UNPROCESSABLE, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            System.err.println("tutti: service: a job cannot be written: " + e);
            throw new Problem(Problem.NO_ROOM, "the job cannot be written to the service's disk");
        }
    }

    private static long number(ServiceRequest request, String name, long defaultValue, long most) {
        String text = request.query(name);
        if (text == null) return defaultValue;
        if (!text.matches("\\d{1,9}") || Long.parseLong(text) > most) {
            throw new Problem(Problem.BAD_REQUEST, name + " is an integer from 0 to " + most);
        }
        return Long.parseLong(text);
    }

    // ---- existing jobs

    private ServiceJob job(ServiceRequest request) {
        ServiceJob job = queue.find(request.parameter());
        if (job == null) throw new Problem(Problem.NOT_FOUND, "no such job");
        return job;
    }

    private Map<String, @Nullable Object> document(ServiceJob job) {
        return job.document(queue.place(job));
    }

    void list(ServiceRequest request) throws IOException {
        request.allow("state", "after");
        String word = request.query("state"), after = request.query("after");
        JobState state = word == null ? null : JobState.of(word);
        if (word != null && state == null) {
            throw new Problem(Problem.BAD_REQUEST, "state is one of queued, running, done, failed, cancelled, lost");
        }
        ServiceJob last = after == null ? null : queue.find(after);
        if (after != null && last == null) throw new Problem(Problem.BAD_REQUEST, "after is the id of a job");
        List<ServiceJob> found = queue.list(state, last, PAGE + 1);
        List<Object> jobs = new ArrayList<>();
        for (ServiceJob job : found.subList(0, Math.min(PAGE, found.size()))) jobs.add(document(job));
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("jobs", jobs);
        all.put("next", found.size() > PAGE ? found.get(PAGE - 1).id() : null);
        request.json(OK, all);
    }

    void get(ServiceRequest request) throws IOException {
        request.allow();
        request.json(OK, document(job(request)));
    }

    void events(ServiceRequest request) throws IOException, InterruptedException {
        request.allow();
        String last = request.header("Last-Event-ID");
        boolean isPlace = last != null && last.matches("\\d{1,18}");
        events.serve(request.exchange(), job(request), isPlace ? Long.parseLong(last) : -1);
    }

    void result(ServiceRequest request) throws IOException {
        request.allow();
        result(request, job(request));
    }

    private void result(ServiceRequest request, ServiceJob job) throws IOException {
        JobState state = job.state();
        JobError error = job.error();
        switch (state) {
            case DONE -> {
                try (FileChannel large = job.largeResult()) {
                    if (large == null) request.send(OK, JSON, job.smallResult());
                    else send(request, large, job);
                }
            }
            case FAILED ->
                throw new Problem(Problem.FAILED, error == null ? "the job has failed" : error.message())
                        .with("job", job.id())
                        .with("error", error);
            case CANCELLED, LOST ->
                throw new Problem(Problem.NO_LONGER_AVAILABLE, "the job was " + state.word() + " and has no result")
                        .with("job", job.id())
                        .with("error", error);
            case QUEUED, RUNNING ->
                throw new Problem(Problem.CONFLICT, "the job is " + state.word() + " and has no result yet")
                        .with("job", job.id())
                        .header("Retry-After", "1");
        }
    }

    /// Sends a large result. Releases the slot of the request first, because a slow client may read megabytes
    /// for a long time.
    private void send(ServiceRequest request, FileChannel large, ServiceJob job) throws IOException {
        events.enter();
        try {
            request.leave();
            request.send(OK, JSON, large, job.resultFile());
        } finally {
            events.leave();
        }
    }

    void delete(ServiceRequest request) throws IOException {
        request.allow();
        ServiceJob job = job(request);
        if (job.state().isFinal()) {
            request.json(OK, document(job));
            return;
        }
        queue.cancel(job);
        request.json(ACCEPTED, document(job));
    }
}
