package org.tutti.serve.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.tutti.serve.json.JsonException;
import org.tutti.serve.json.JsonType;
import org.tutti.serve.json.JsonTypes;
import org.tutti.serve.json.JsonValues;

/// What the lines of a job's file are.
final class JobLines {
    /// The first line.
    ///
    /// @param number jobs are in the order of their numbers
    /// @param key by which a client recognises it, if it has given one
    /// @param digest of function and argument
    record Head(long number, String function, Instant created, Optional<String> key, String digest) {}

    /// A change of state.
    ///
    /// @param rank on which it ran, once that is known
    record Change(JobState state, Instant at, Optional<Integer> rank, Optional<JobError> error) {}

    private static final JsonTypes TYPES = new JsonTypes();
    private static final JsonType HEAD = TYPES.of(Head.class), CHANGE = TYPES.of(Change.class);

    private JobLines() {}

    static Head head(List<byte[]> lines) {
        return (Head) read(lines.getFirst(), HEAD);
    }

    /// The last change of state; none of a job that is queued.
    static Optional<Change> last(List<byte[]> lines) {
        int last = lines.size() - 1;
        if (JobFiles.isResult(lines.get(last), 0)) last--; // what follows a result was cut off
        return last < 2 ? Optional.empty() : Optional.of((Change) read(lines.get(last), CHANGE));
    }

    /// When the job began, if it has.
    static Optional<Instant> started(List<byte[]> lines) {
        if (lines.size() < 3 || JobFiles.isResult(lines.get(2), 0)) return Optional.empty();
        Change first = (Change) read(lines.get(2), CHANGE);
        return first.state() == JobState.RUNNING ? Optional.of(first.at()) : Optional.empty();
    }

    private static Object read(byte[] line, JsonType type) {
        Object read = JsonTypes.read(line, type);
        if (read == null) throw new JsonException("a line is null");
        return read;
    }

    /// The change to running.
    static byte[] running(Instant now) {
        return of(new Change(JobState.RUNNING, now, Optional.empty(), Optional.empty()));
    }

    static byte[] of(Record line) {
        return JsonValues.bytes(line);
    }
}
