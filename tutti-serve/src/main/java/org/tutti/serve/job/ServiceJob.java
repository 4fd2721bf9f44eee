package org.tutti.serve.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.json.JsonValues;

/// One job: what it is, where it is in its life, what it has said. Readers wait on it for news.
public final class ServiceJob {
    private static final int NANOS_PER_MILLI = 1_000_000, MOST_EVENT_BYTES = 1 << 14;

    private final JobDirectory directory;
    private final JobLines.Head head;
    private final long outputBytes;

    /// Guarded by this, as all below. What a job waits with; null once it has begun, and of one that an
    /// earlier service has left.
    private @Nullable Object argument;

    private @Nullable EventLog events;
    private JobState state = JobState.QUEUED;
    private @Nullable Instant started;
    private @Nullable Instant ended;
    private @Nullable JobError error;
    private @Nullable Progress progress;
    private @Nullable Future<?> future;
    private int rank = -1;
    private boolean cancelled;
    private boolean eventsFail;

    /// How far a job is.
    public record Progress(long done, long total) {}

    /// A new one, which is on the disk.
    ServiceJob(JobDirectory directory, JobLines.Head head, @Nullable Object argument, long outputBytes) {
        this.directory = directory;
        this.head = head;
        this.argument = argument;
        this.outputBytes = outputBytes;
        events = EventLog.empty(directory.path(), outputBytes);
    }

    /// One that an earlier service has left.
    private ServiceJob(JobDirectory directory, List<byte[]> lines, long outputBytes) {
        this.directory = directory;
        this.outputBytes = outputBytes;
        head = JobLines.head(lines);
        started = JobLines.started(lines).orElse(null);
        JobLines.last(lines).ifPresent(change -> {
            state = change.state();
            if (state.isFinal()) ended = change.at();
            error = change.error().orElse(null);
            rank = change.rank().orElse(-1);
        });
    }

    /// @throws org.tutti.serve.json.JsonException when the files are not what a service writes
    static ServiceJob load(JobDirectory directory, long outputBytes) throws IOException {
        return new ServiceJob(directory, directory.lines(), outputBytes);
    }

    public String id() {
        return directory.id();
    }

    long number() {
        return head.number();
    }

    public String function() {
        return head.function();
    }

    Optional<String> key() {
        return head.key();
    }

    String digest() {
        return head.digest();
    }

    public synchronized JobState state() {
        return state;
    }

    synchronized @Nullable Instant ended() {
        return ended;
    }

    /// The time that it has run, once it has ended; null when it did not run.
    synchronized @Nullable Double seconds() {
        Instant from = started, to = ended;
        return from == null || to == null ? null : (to.toEpochMilli() - from.toEpochMilli()) / 1e3;
    }

    // ---- its life

    /// Sets what it is called with, of a job that an earlier service has left.
    synchronized void argument(@Nullable Object value) {
        argument = value;
    }

    byte[] argumentBytes() throws IOException {
        return JobDirectory.argument(directory.lines().get(1));
    }

    /// From queued to running, on the disk first. False when it was cancelled meanwhile.
    synchronized boolean begin() throws IOException {
        if (cancelled) return false;
        Instant now = Instant.now();
        directory.append(
                List.of(JobLines.of(new JobLines.Change(JobState.RUNNING, now, Optional.empty(), Optional.empty()))));
        state = JobState.RUNNING;
        started = now;
        notifyAll();
        return true;
    }

    /// Returns what it is called with, once.
    synchronized @Nullable Object takeArgument() {
        Object value = argument;
        argument = null;
        return value;
    }

    /// What cancels it, now that it runs.
    void runs(Future<?> itsFuture) {
        boolean late;
        synchronized (this) {
            future = itsFuture;
            late = cancelled;
        }
        if (late) itsFuture.cancel(true);
    }

    /// It is not wanted any more. What runs is interrupted.
    void cancel() {
        Future<?> running;
        synchronized (this) {
            cancelled = true;
            running = future;
        }
        if (running != null) running.cancel(true);
    }

    /// Its end, on the disk first. Where the disk refuses it, what is known here is the truth until the
    /// service ends; a result that cannot be kept is a failure.
    ///
    /// @param result of one that is done
    synchronized void end(JobState how, byte @Nullable [] result, @Nullable JobError why) {
        JobState last = how;
        JobError reason = why;
        Instant now = Instant.now();
        try {
            try {
                byte[] line = JobLines.of(change(how, now, why));
                if (result == null) directory.append(List.of(line));
                else directory.finish(result, line);
            } catch (IOException e) {
                if (result == null) throw e;
                last = JobState.FAILED;
                reason = JobError.of("IOException", "the result cannot be kept: " + e.getMessage());
                directory.append(List.of(JobLines.of(change(last, now, reason))));
            }
        } catch (IOException e) {
            System.err.println("tutti: service: the end of job " + id() + " cannot be written: " + e);
        }
        state = last;
        error = reason;
        ended = now;
        future = null;
        Map<String, @Nullable Object> told = new LinkedHashMap<>();
        told.put("state", state.word());
        if (reason != null) told.put("error", reason);
        say("state", told);
    }

    private JobLines.Change change(JobState how, Instant when, @Nullable JobError why) {
        Optional<Integer> itsRank = rank < 0 ? Optional.empty() : Optional.of(rank);
        return new JobLines.Change(how, when, itsRank, Optional.ofNullable(why));
    }

    // ---- what it says

    /// A text of its task; see [org.tutti.serve.job.JobRunner].
    synchronized void runsOn(int itsRank) {
        rank = itsRank;
        say("state", Map.of("state", JobState.RUNNING.word(), "rank", itsRank));
    }

    synchronized void progress(Progress how) {
        progress = how;
        say("progress", how);
    }

    synchronized void output(int from, String text) {
        Map<String, @Nullable Object> told = new LinkedHashMap<>();
        told.put("rank", from);
        told.put("text", text);
        say("output", told);
    }

    synchronized void queued() {
        say("state", Map.of("state", JobState.QUEUED.word()));
    }

    /// A full disk costs events, not the job.
    private void say(String event, Object data) {
        try {
            events().append(event, JsonValues.bytes(data));
        } catch (IOException e) {
            if (!eventsFail) System.err.println("tutti: service: an event of job " + id() + " cannot be written: " + e);
            eventsFail = true;
        }
        notifyAll();
    }

    private EventLog events() throws IOException {
        EventLog known = events;
        if (known == null) events = known = EventLog.open(directory.path(), outputBytes);
        return known;
    }

    /// Returns where to read on for who has seen the event `id`, or has seen none: -1.
    public synchronized long eventsAfter(long id) throws IOException {
        return events().after(id);
    }

    /// Bytes of events.
    ///
    /// @param place where they begin, which is later than asked for where the oldest ones are gone
    public record Events(long place, byte[] bytes) {}

    /// Returns events from `place` on; without any, none after `millis`, or at once where there never will be.
    public synchronized Events readEvents(long place, long millis) throws IOException, InterruptedException {
        EventLog log = events();
        long until = System.nanoTime() + millis * NANOS_PER_MILLI;
        while (place >= log.end() && !state.isFinal()) {
            long left = (until - System.nanoTime()) / NANOS_PER_MILLI;
            if (left <= 0) break;
            wait(left);
        }
        long from = Math.max(place, log.first());
        ByteBuffer bytes = ByteBuffer.allocate(Math.clamp(log.end() - from, 0, MOST_EVENT_BYTES));
        int count = log.read(from, bytes);
        return new Events(from, Arrays.copyOf(bytes.array(), count));
    }

    /// Waits until it has ended, at most so long.
    public synchronized boolean awaitEnd(long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * NANOS_PER_MILLI;
        while (!state.isFinal()) {
            long left = (until - System.nanoTime()) / NANOS_PER_MILLI;
            if (left <= 0) return false;
            wait(left);
        }
        return true;
    }

    /// Returns the result of one that is done, to be read and closed; null where it is a small one.
    public @Nullable FileChannel largeResult() throws IOException {
        return directory.largeResult();
    }

    /// Returns the result of one that is done and has a small one.
    public byte[] smallResult() throws IOException {
        return directory.smallResult();
    }

    public synchronized @Nullable JobError error() {
        return error;
    }

    void delete() throws IOException {
        directory.delete();
    }

    /// Returns it as clients see it.
    ///
    /// @param place in the queue, from 1 on; 0 when it does not wait
    public synchronized Map<String, @Nullable Object> document(int place) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("id", id());
        all.put("function", head.function());
        all.put("state", state.word());
        if (place > 0) all.put("place", place);
        all.put("ranks", rank < 0 ? List.of() : List.of(rank));
        if (progress != null) all.put("progress", progress);
        if (cancelled && state == JobState.RUNNING) all.put("cancelling", true);
        all.put("created", head.created());
        if (started != null) all.put("started", started);
        if (ended != null) all.put("ended", ended);
        if (error != null) all.put("error", error);
        return all;
    }
}
