package org.tutti.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a program says when it is asked, for a bounded time.
///
/// @param code its exit code; -1 where it was ended because it took too long
/// @param out what it wrote on either stream
public record Asked(int code, String out) {
    static final Duration LONGEST = Duration.ofSeconds(30);

    /// Null where it cannot be started.
    ///
    /// @param environment changes the environment that it gets
    public static @Nullable Asked of(List<String> command, Consumer<Map<String, String>> environment) {
        Path out = null;
        try {
            out = Files.createTempFile("tutti-doctor", ".out");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
            environment.accept(builder.environment());
            Process process = builder.start();
            try {
                boolean ended = process.waitFor(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
                int code = ended ? process.exitValue() : -1;
                return new Asked(code, new String(Files.readAllBytes(out), StandardCharsets.UTF_8));
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            delete(out);
        }
    }

    private static void delete(@Nullable Path file) {
        try {
            if (file != null) Files.deleteIfExists(file);
        } catch (IOException e) {
            // it lies in the directory for temporary files
        }
    }
}
