package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.tutti.serve.json.JsonException;
import org.tutti.serve.json.JsonType;
import org.tutti.serve.json.JsonTypes;
import org.tutti.serve.json.JsonValues;

/// The format of the lines in a job's file.
final class JobLines {
    /// The first line.
    ///
    /// @param number defines the order of jobs
    /// @param key identifies the job for the client; empty if the client has given none
    /// @param digest the digest of function and argument
    /// @param sum the checksum of this line and the argument, see [#sum]; empty in files of earlier versions
    record Head(
            long number, String function, Instant created, Optional<String> key, String digest, Optional<String> sum) {
        /// Returns a copy with the checksum.
        ///
        /// @param line the line of the argument
        Head summed(byte[] line) {
            return new Head(number, function, created, key, digest, Optional.of(sumWith(line)));
        }

        private String sumWith(byte[] line) {
            return JobLines.sum(
                    number + "\n" + function + "\n" + created + "\n" + key.orElse("") + "\n" + digest, line);
        }
    }

    /// A change of state.
    ///
    /// @param rank the rank on which the job ran, if known
    /// @param sum the checksum of this line and the result of a completed job, see [#sum]; empty in files of
    ///     earlier versions
    record Change(JobState state, Instant at, Optional<Integer> rank, Optional<JobError> error, Optional<String> sum) {
        /// Returns a copy with the checksum.
        ///
        /// @param result empty unless the job is done
        Change summed(byte[] result) {
            return new Change(state, at, rank, error, Optional.of(sumWith(result)));
        }

        private String sumWith(byte[] result) {
            return sumWith(sumOf(result));
        }

        private String sumWith(CRC32C ofResult) {
            ofResult.update((state + "\n" + at + "\n" + rank + "\n" + error).getBytes(UTF_8));
            return hex(ofResult);
        }
    }

    private static final JsonTypes TYPES = new JsonTypes();
    private static final JsonType HEAD = TYPES.of(Head.class), CHANGE = TYPES.of(Change.class);

    private JobLines() {}

    private static CRC32C sumOf(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return sum;
    }

    private static String hex(CRC32C sum) {
        return "%08x".formatted(sum.getValue());
    }

    /// Returns the CRC-32C of `rest` followed by `text`. The checksum is needed because damaged data can still
    /// be valid JSON.
    private static String sum(String text, byte[] rest) {
        CRC32C sum = sumOf(rest);
        sum.update(text.getBytes(UTF_8));
        return hex(sum);
    }

    static Head head(List<byte[]> lines) {
        return (Head) read(lines.getFirst(), HEAD);
    }

    /// Returns whether function, argument and key are unchanged, according to the checksum.
    static boolean isIntact(Head head, List<byte[]> lines) {
        byte[] line = lines.get(1);
        return JobFiles.isArgument(line)
                && head.sum.map(sum -> sum.equals(head.sumWith(line))).orElse(true);
    }

    /// Returns the last change of state; empty for a queued job.
    ///
    /// @throws JsonException if a line is damaged
    static Optional<Change> last(List<byte[]> lines) {
        int last = lines.size() - 1;
        if (JobFiles.isResult(lines.get(last), 0)) last--; // the line after the result was cut off
        if (last < 2) return Optional.empty();
        Change change = (Change) read(lines.get(last), CHANGE);
        // the checksum of a line with a result is checked when the result is read
        if (change.state != JobState.DONE && !isIntact(change, new CRC32C())) {
            throw new JsonException("the checksum differs");
        }
        return Optional.of(change);
    }

    /// Returns whether the line of a state change is undamaged, according to the checksum in the line.
    ///
    /// @param ofResult the checksum of the result of a completed job; this method adds the line to it
    static boolean isIntact(Change change, CRC32C ofResult) {
        return change.sum.map(sum -> sum.equals(change.sumWith(ofResult))).orElse(true);
    }

    /// Returns the start time of the job; empty if the job has not started.
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

    /// Returns the line for the change to the state `running`.
    static byte[] running(Instant now) {
        return of(new Change(JobState.RUNNING, now, Optional.empty(), Optional.empty(), Optional.empty())
                .summed(new byte[0]));
    }

    static byte[] of(Record line) {
        return JsonValues.bytes(line);
    }
}
