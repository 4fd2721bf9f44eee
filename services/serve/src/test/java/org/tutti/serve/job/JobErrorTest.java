package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tutti.serve.json.JsonValues;

class JobErrorTest {
    private static final int MOST_BYTES = 1 << 16;

    @Test
    void aMessageIsLimitedInBytesOfJson() {
        for (String text : List.of("x", "\u0001", "\"", "é", "…", "😀", "\ud83d")) {
            String message = JobError.of("type", text.repeat(100_000)).message();
            assertThat(JsonValues.bytes(message).length)
                    .as(text)
                    .isBetween(MOST_BYTES - 24, MOST_BYTES + 2); // including the quotes
            assertThat(message).endsWith("…");
            String begin = message.substring(0, message.length() - 1);
            assertThat(text.repeat(100_000)).startsWith(begin);
            assertThat(begin.length() % text.length()).as(text).isZero();
        }
        assertThat(JobError.of("type", "é".repeat(MOST_BYTES / 2)).message()).hasSize(MOST_BYTES / 2);
    }

    /// Earlier versions limited characters.
    @Test
    void aLongerErrorOfAFileIsReadAsItWasWritten() {
        JobError error = new JobError("type", "é".repeat(60_000), Optional.of(1), List.of("frame"));
        JobLines.Change change = new JobLines.Change(
                        JobState.FAILED, Instant.EPOCH, Optional.of(1), Optional.of(error), Optional.empty())
                .summed(new byte[0]);
        byte[] line = "{}".getBytes(UTF_8);
        assertThat(JobLines.last(List.of(line, line, JobLines.of(change)))).contains(change);
    }
}
