package org.tutti.job.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportLineTest {
    private static @Nullable ReportLine read(String line) {
        byte[] bytes = ("xx" + line).getBytes(StandardCharsets.UTF_8);
        return ReportLine.read(bytes, 2, bytes.length);
    }

    @Test
    void readsLinesOfShellsAndRanks() {
        assertThat(read("\u001etutti exit 3 137 node7\n")).isEqualTo(new ReportLine("exit", 3, 137, "node7", ""));
        assertThat(read("\u001etutti state 0 JOINED node7 4711\n"))
                .isEqualTo(new ReportLine("state", 0, 4711, "node7", "JOINED"));
        assertThat(read("\u001etutti terminates 3 4711 node7\n"))
                .isEqualTo(new ReportLine("terminates", 3, 4711, "node7", ""));
        assertThat(read("\u001etutti fail 2 1 b a b: c\u001f\tat x\n"))
                .isEqualTo(new ReportLine("fail", 2, 1, "b", "a b: c\n\tat x"));
        assertThat(read("\u001etutti calls 2 -5 b eJwD/A==\n"))
                .isEqualTo(new ReportLine("calls", 2, -5, "b", "eJwD/A=="));
    }

    @Test
    void ignoresLinesOfPrograms() {
        assertThat(read("\u001etutti\n")).isNull();
        assertThat(read("\u001etutti exit 3\n")).isNull();
        assertThat(read("\u001etutti exit x 1 a\n")).isNull();
        assertThat(read("\u001etutti dance 1 1 a\n")).isNull();
        assertThat(read("\u001etutti state 0 ASLEEP a 1\n")).isNull();
        assertThat(read("\u001eother exit 1 1 a\n")).isNull();
    }
}
