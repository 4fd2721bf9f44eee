package org.tutti.train.torch.graph;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Changes exported programs at random. A file must be refused with a message, or the model must run or fail
/// with a message; the process must not crash. `-Dtutti.mutations.count=10000` tests more files, and
/// `-Dtutti.mutations.seed` sets the seed of the first file. A failure prints the seed.
final class MutatedProgramsTest {
    private static final long FIRST = Long.getLong("tutti.mutations.seed", 1);
    private static final int COUNT = Integer.getInteger("tutti.mutations.count", 200);

    @TempDir
    private Path directory;

    @Test
    @Tag("ci")
    void changedProgramsAreRefusedOrRun() throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        int exitCode = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        List<String> lines = Files.readString(output, UTF_8).lines().toList();

        assertThat(exitCode)
                .as(() -> "exit code after " + String.join("\n", last(lines)))
                .isZero();
        assertThat(lines).noneMatch(line -> line.startsWith("FAULT"));
        assertThat(lines.getLast()).startsWith("results ").contains("refused=", "ran=");
    }

    private List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                MutationTrials.class.getName(),
                Long.toString(FIRST),
                Integer.toString(COUNT),
                directory.toString());
    }

    private static List<String> last(List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - 3), lines.size());
    }
}
