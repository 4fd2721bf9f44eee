package org.tutti.train.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFileTest {
    @TempDir
    Path dir;

    @Test
    void filesAreCreatedAndReplaced() throws IOException {
        Path file = dir.resolve("config.json");
        DurableFile.write(file, "{\"long\": true}".getBytes(UTF_8));
        DurableFile.write(file, "{}".getBytes(UTF_8));
        assertThat(file).hasContent("{}");
        long bytes = DurableFile.write(file, channel -> channel.write(ByteBuffer.wrap("[1]".getBytes(UTF_8))));
        assertThat(bytes).isEqualTo(3);
        assertThat(file).hasContent("[1]");
        try (var all = Files.list(dir)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void afterAFailureThePreviousVersionIsThere() throws IOException {
        Path file = Files.writeString(dir.resolve("model.safetensors"), "old");
        assertThatThrownBy(() -> DurableFile.write(file, channel -> {
                    channel.write(ByteBuffer.wrap("ne".getBytes(UTF_8)));
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": No space left on device");
        assertThat(file).hasContent("old");
        try (var all = Files.list(dir)) {
            assertThat(all).containsExactly(file);
        }
    }
}
