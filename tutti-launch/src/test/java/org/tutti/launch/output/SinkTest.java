package org.tutti.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Lines of several ranks on one stream.
class SinkTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Sink sink = Sink.of(out, "out");

    private void write(int rank, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] prefix = rank < 0 ? new byte[0] : ("[" + rank + "] ").getBytes(StandardCharsets.UTF_8);
        assertThat(sink.write(rank, prefix, bytes, 0, bytes.length)).isTrue();
    }

    @Test
    void aLineInPiecesIsOneLine() {
        write(0, "a ");
        write(0, "b");
        write(0, " c\nd\n");
        write(1, "e\n");
        assertThat(out).hasToString("[0] a b c\n[0] d\n[1] e\n");
    }

    @Test
    void aPieceIsNeverFollowedByAnotherRanksLine() {
        write(0, "name? ");
        write(1, "e\nf");
        write(Sink.LAUNCHER, "tutti: g\n");
        write(0, "rest\n");
        assertThat(out).hasToString("[0] name? \n[1] e\n[1] f\ntutti: g\n[0] rest\n");
    }

    @Test
    void aFullDiskIsToldOnce() throws Exception {
        Sink full = Sink.file(Path.of("/dev/full"), false);
        byte[] line = {'x', '\n'};
        assertThat(full.write(0, new byte[0], line, 0, 2)).isFalse();
        assertThat(full.write(0, new byte[0], line, 0, 2)).isFalse();
        assertThat(full.takeFailure()).startsWith("/dev/full cannot be written: ");
        assertThat(full.takeFailure()).isNull();
    }
}
