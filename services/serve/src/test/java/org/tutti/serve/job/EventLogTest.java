package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTest {
    private static final long LIMIT = 1 << 20;

    @TempDir
    Path jobs;

    @Test
    void remaindersOfAFailedWriteAreOverwritten() throws Exception {
        JobFiles files = JobFiles.create(jobs, "a".repeat(32), List.of("{}\n".getBytes(UTF_8)));
        EventLog log = EventLog.empty(files, LIMIT, 0);
        log.append("output", "1".getBytes(UTF_8), false);
        String rest = "id: 30\nevent: output\ndata: it is longer than the next one\n\n";
        Files.writeString(files.events(0), rest, StandardOpenOption.APPEND);
        log.append("output", "2".getBytes(UTF_8), false);
        assertThat(Files.readString(files.events(0)))
                .isEqualTo("id: 0\nevent: output\ndata: 1\n\nid: 29\nevent: output\ndata: 2\n\n");
        assertThat(log.end()).isEqualTo(Files.size(files.events(0)));
    }

    @Test
    void aReaderResumesAfterAnEventOfAnySize() throws Exception {
        JobFiles files = JobFiles.create(jobs, "a".repeat(32), List.of("{}\n".getBytes(UTF_8)));
        EventLog log = EventLog.empty(files, LIMIT, 0);
        long place = 0;
        for (int size : List.of(10, 200_000, 1, (1 << 15) - 23, (1 << 15) - 24)) {
            log.append("output", "x".repeat(size).getBytes(UTF_8), false);
            assertThat(log.after(place)).as(size + " bytes").isEqualTo(log.end());
            place = log.end();
        }
        assertThat(log.after(place - 1)).isEqualTo(-1);
    }
}
