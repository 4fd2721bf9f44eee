package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MpirunWordsTest {
    private static MpirunWords hear(String... lines) {
        MpirunWords words = new MpirunWords();
        for (String line : lines) {
            byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
            words.hear(bytes, 0, bytes.length);
        }
        return words;
    }

    @Test
    void understandsOpenMpi() {
        MpirunWords exited = hear("some line", "  Process name: [[18412,1],2]", "  Exit code:    3");
        assertThat(exited.rank()).isEqualTo(2);
        assertThat(exited.code()).isEqualTo(3);
        MpirunWords killed =
                hear("mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).");
        assertThat(killed.rank()).isEqualTo(1);
        assertThat(killed.code()).isEqualTo(137);
    }

    @Test
    void understandsHydra() {
        MpirunWords killed = hear(
                "=   RANK 1 PID 3733 RUNNING AT vm",
                "=   EXIT CODE: 9",
                "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)");
        assertThat(killed.rank()).isEqualTo(1);
        assertThat(killed.code()).isEqualTo(137);
    }

    @Test
    void hearsNothingInAProgramsOutput() {
        assertThat(hear("Hello from rank 1 of 4").rank()).isEqualTo(-1);
    }
}
