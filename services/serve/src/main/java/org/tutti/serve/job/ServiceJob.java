package org.tutti.serve.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.json.JsonException;
import org.tutti.serve.json.JsonValues;

/// A job: head, state and events. Readers wait on it for changes.
public final class ServiceJob {
    /// The name of a state event.
    private static final String STATE = "state";

    private static final int NANOS_PER_MILLI = 1_000_000, MOST_EVENT_BYTES = 1 << 14;

    /// The position of the first new event of a lost job. It is after all events that a client can have
    /// received from the event buffer of the previous service, which was lost with that service.
    private static final int LOST_PLACE = 1 << 13;

    private final JobFiles files;
    private final JobLines.Head head;
    private final long outputBytes;

    /// The argument of a waiting job; null after the job has started, and for a job of a previous service that is
    /// not queued. Guarded by `this`, like all fields below.
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

    /// Whether the service is closed.
    private boolean closed;
    private boolean eventsFail;

    /// Whether the file was damaged.
    private boolean damaged;

    /// The order of jobs; equal to the number in the head unless a second job has the same number.
    private long number;

    /// The last line of a completed job; the checksum is checked together with the result.
    private JobLines.@Nullable Change done;

    /// The progress of a job.
    public record Progress(long done, long total) {}

    /// Creates the object of a new job that is already stored on disk.
    ///
    /// @param runs whether the state recorded on disk is already `running`
    ServiceJob(JobFiles files, JobLines.Head head, @Nullable Object argument, boolean runs, long outputBytes) {
        this.files = files;
        this.head = head;
        number = head.number();
        this.argument = argument;
        this.outputBytes = outputBytes;
        events = EventLog.empty(files, outputBytes, 0);
        appendState(JobState.QUEUED);
        if (runs) {
            state = JobState.RUNNING;
            started = head.created();
        }
    }

    /// Loads a job of a previous service.
    private ServiceJob(JobFiles files, List<byte[]> lines, long outputBytes) {
        this.files = files;
        this.outputBytes = outputBytes;
        head = JobLines.head(lines);
        number = head.number();
        damaged = !JobLines.isIntact(head, lines);
        try {
            started = JobLines.started(lines).orElse(null);
            JobLines.last(lines).ifPresent(change -> {
                state = change.state();
                if (state.isFinal()) ended = change.at();
                if (state == JobState.DONE) done = change;
                error = change.error().orElse(null);
                rank = change.rank().orElse(-1);
            });
        } catch (JsonException e) {
            // it may have started, and the end is not recorded
            damaged = true;
            state = JobState.RUNNING;
        }
    }

    JobFiles files() {
        return files;
    }

    synchronized boolean isDamaged() {
        return damaged;
    }

    /// Checks the checksum of a job that would be removed because of its age. If the checksum differs, the time
    /// may be damaged, and the job is retained as if it had ended now.
    ///
    /// @param oldest the time limit: jobs that ended earlier are removed
    synchronized void checkAge(Instant oldest) {
        if (state != JobState.DONE || ended == null || ended.isAfter(oldest)) return;
        try (FileChannel large = largeResult()) {
            if (large == null) smallResult();
        } catch (IOException e) {
            damaged = true;
            ended = Instant.now();
        }
    }

    /// Recreates the state events that the previous service had only buffered. The events have the same bytes,
    /// and therefore the same ids, if the job's file contains all their data; the file of a lost job does not
    /// contain the rank.
    private void recreateStates() {
        appendState(JobState.QUEUED);
        if (rank >= 0) appendState(JobState.RUNNING);
        if (state.isFinal()) appendState(state);
    }

    private EventLog emptyLog() {
        return EventLog.empty(files, outputBytes, state == JobState.RUNNING || state == JobState.LOST ? LOST_PLACE : 0);
    }

    /// @throws org.tutti.serve.json.JsonException if the files were not written by a service
    static ServiceJob load(JobFiles files, List<byte[]> lines, long outputBytes) {
        ServiceJob job = new ServiceJob(files, lines, outputBytes);
        job.found();
        return job;
    }

    private synchronized void found() {
        if (files.eventPlaces().isEmpty()) {
            events = emptyLog();
            recreateStates();
        } else if (state == JobState.RUNNING) {
            try {
                events(); // opens the log before the job is marked as lost
            } catch (IOException e) {
                return; // the log is opened again for the next event
            }
        }
    }

    public String id() {
        return files.id();
    }

    synchronized long number() {
        return number;
    }

    /// Sets a new number, for a job with a number already in use.
    synchronized void number(long other) {
        number = other;
    }

    public String function() {
        return head.function();
    }

    /// Returns the key. Empty for a job with a damaged file, because the key may belong to a different call.
    synchronized Optional<String> key() {
        return damaged ? Optional.empty() : head.key();
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

    /// Returns the run time of a job that has ended; null if it did not run.
    synchronized @Nullable Double seconds() {
        Instant from = started, to = ended;
        return from == null || to == null ? null : (to.toEpochMilli() - from.toEpochMilli()) / 1e3;
    }

    // ---- states

    /// Sets the argument of a job of a previous service.
    synchronized void argument(@Nullable Object value) {
        argument = value;
    }

    byte[] argumentBytes() throws IOException {
        return JobFiles.argument(files.lines().get(1));
    }

    /// Changes the state from queued to running, first on disk. No effect for a running job. Returns false if
    /// the job was cancelled meanwhile.
    synchronized boolean begin() throws IOException {
        if (cancelled || closed) return false;
        if (state == JobState.RUNNING) return true;
        Instant now = Instant.now();
        files.append(List.of(JobLines.running(now)));
        state = JobState.RUNNING;
        started = now;
        notifyAll();
        return true;
    }

    /// Returns the argument, once.
    synchronized @Nullable Object takeArgument() {
        Object value = argument;
        argument = null;
        return value;
    }

    /// Sets the future that cancels the running job.
    void runs(Future<?> itsFuture) {
        boolean late;
        synchronized (this) {
            future = itsFuture;
            late = cancelled;
        }
        if (late) itsFuture.cancel(true);
    }

    /// Cancels the job. A running job is interrupted.
    void cancel() {
        Future<?> running;
        synchronized (this) {
            cancelled = true;
            running = future;
        }
        if (running != null) running.cancel(true);
    }

    /// Closes the job with the service: a running job is interrupted and lost. The files are not written
    /// afterwards, since a different service may use the directory.
    void close() {
        Future<?> running;
        synchronized (this) {
            running = future;
            if (state == JobState.RUNNING) {
                end(JobState.LOST, null, JobError.of("lost", "the service was closed while the job ran"));
            }
            cancelled = true;
            closed = true;
        }
        if (running != null) running.cancel(true);
    }

    /// Ends the job, first on disk. If the disk cannot be written, the state in memory is valid until the
    /// service ends; a result that cannot be stored is a failure.
    ///
    /// @param result the result of a completed job
    synchronized void end(JobState how, byte @Nullable [] result, @Nullable JobError why) {
        if (closed) return;
        JobState last = how;
        JobError reason = why;
        Instant now = Instant.now();
        try {
            try {
                byte[] content = result == null ? new byte[0] : result;
                JobLines.Change change = change(how, now, why).summed(content);
                if (result == null) files.append(List.of(JobLines.of(change)));
                else files.finish(result, JobLines.of(change));
                if (how == JobState.DONE) done = change;
            } catch (IOException e) {
                if (result == null) throw e;
                last = JobState.FAILED;
                reason = JobError.of("IOException", "the result cannot be stored: " + e.getMessage());
                files.append(List.of(JobLines.of(change(last, now, reason).summed(new byte[0]))));
            }
        } catch (IOException e) {
            System.err.println("tutti: service: the end of job " + id() + " cannot be written: " + e);
        }
        state = last;
        error = reason;
        ended = now;
        future = null;
        argument = null;
        appendState(state);
        notifyAll();
    }

    private JobLines.Change change(JobState how, Instant when, @Nullable JobError why) {
        Optional<Integer> itsRank = rank < 0 ? Optional.empty() : Optional.of(rank);
        return new JobLines.Change(how, when, itsRank, Optional.ofNullable(why), Optional.empty());
    }

    // ---- events

    /// Records that the task has started on this rank, see [org.tutti.serve.job.JobRunner].
    synchronized void runsOn(int itsRank) {
        rank = itsRank;
        appendState(JobState.RUNNING);
        notifyAll();
    }

    private void appendState(JobState how) {
        append(STATE, stateData(how));
    }

    private Map<String, @Nullable Object> stateData(JobState how) {
        Map<String, @Nullable Object> stateData = new LinkedHashMap<>();
        stateData.put("state", how.word());
        if (how == JobState.RUNNING) stateData.put("rank", rank);
        if (how.isFinal() && error != null) stateData.put("error", error);
        return stateData;
    }

    synchronized void progress(Progress how) {
        progress = how;
        append("progress", how);
        notifyAll();
    }

    synchronized void output(int from, String text) {
        Map<String, @Nullable Object> stateData = new LinkedHashMap<>();
        stateData.put("rank", from);
        stateData.put("text", text);
        append("output", stateData);
        notifyAll();
    }

    /// Appends an event. If the disk is full, the event is lost, but not the job.
    private void append(String event, Object data) {
        if (closed) return;
        try {
            events().append(event, JsonValues.bytes(data), event.equals(STATE));
        } catch (IOException e) {
            if (!eventsFail) System.err.println("tutti: service: an event of job " + id() + " cannot be written: " + e);
            eventsFail = true;
        }
    }

    private EventLog events() throws IOException {
        EventLog known = events;
        if (known != null) return known;
        EventLog found = EventLog.open(files, outputBytes);
        if (found.isEmpty()) {
            found.delete(); // the first event was cut off
            found = emptyLog();
            events = found;
            recreateStates();
        } else {
            events = found;
            // the last state event is missing if the service was killed before writing it
            if (state.isFinal() && !found.endsWith(STATE, JsonValues.bytes(stateData(state)))) appendState(state);
        }
        return found;
    }

    /// The position at which a reader of events begins.
    ///
    /// @param isGap whether the reader's last event has been deleted, so that further events may be missing
    public record Resumption(long place, boolean isGap) {}

    /// Returns the position for a reader that has received the events up to `id`; `id` is -1 for a reader
    /// without events.
    public synchronized Resumption eventsAfter(long id) throws IOException {
        EventLog log = events();
        long place = log.after(id);
        return place < 0 ? new Resumption(log.first(), id >= 0 && log.first() > 0) : new Resumption(place, false);
    }

    /// Bytes of events.
    ///
    /// @param place position of the first byte; after the requested position if the oldest events have been
    ///     deleted
    /// @param isEnd whether there are no further events and never will be
    public record Events(long place, byte[] bytes, boolean isEnd) {}

    /// Returns events from `place`. Waits if no such event exists yet; returns no events after `millis`
    /// milliseconds, or immediately if the job has no further events.
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
        return new Events(from, Arrays.copyOf(bytes.array(), count), count == 0 && state.isFinal());
    }

    /// Waits at most `millis` milliseconds until the job has ended.
    public synchronized boolean awaitEnd(long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * NANOS_PER_MILLI;
        while (!state.isFinal()) {
            long left = (until - System.nanoTime()) / NANOS_PER_MILLI;
            if (left <= 0) return false;
            wait(left);
        }
        return true;
    }

    /// Returns an open channel of the result of a completed job; null for a small result.
    ///
    /// Reads the file to check the checksum before the answer begins, so that the answer for a damaged result
    /// is a status 500, and not an incomplete result. The answer is then read from the page cache. The check
    /// needs 20 ms for 64 MiB, the largest result.
    ///
    /// @throws StoreException if it cannot be read, or is damaged
    public @Nullable FileChannel largeResult() throws StoreException {
        FileChannel result = files.largeResult();
        if (result == null) return null;
        Path file = resultFile();
        boolean isIntact = false;
        try {
            CRC32C sum = new CRC32C();
            StoreException.doing(file, () -> {
                ByteBuffer piece = ByteBuffer.allocate(MOST_EVENT_BYTES);
                while (result.read(piece.clear()) >= 0) sum.update(piece.flip());
                result.position(0);
            });
            requireIntact(sum, file);
            isIntact = true;
            return result;
        } finally {
            if (!isIntact) StoreException.doing(file, result::close);
        }
    }

    /// Returns the file of a large result.
    public Path resultFile() {
        return files.resultFile();
    }

    /// Returns the small result of a completed job.
    ///
    /// @throws StoreException if it cannot be read, or is damaged
    public byte[] smallResult() throws IOException {
        byte[] result = files.smallResult();
        CRC32C sum = new CRC32C();
        sum.update(result);
        requireIntact(sum, files.linesFile());
        return result;
    }

    private synchronized void requireIntact(CRC32C ofResult, Path file) throws StoreException {
        if (done == null || JobLines.isIntact(done, ofResult)) return;
        Path lines = files.linesFile(); // contains the checksum of the result
        String other = file.equals(lines) ? "" : ", or " + lines + " is";
        throw new StoreException(file, "is damaged" + other + ": the result's sum differs");
    }

    public synchronized @Nullable JobError error() {
        return error;
    }

    synchronized void delete() throws IOException {
        try {
            files.delete();
        } finally {
            if (events != null) events.delete();
        }
    }

    /// Returns the JSON document for clients.
    ///
    /// @param place the position in the queue, from 1; 0 for a job outside the queue
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
