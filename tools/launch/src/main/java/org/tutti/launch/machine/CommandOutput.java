package org.tutti.launch.machine;

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
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;

/// The output of a program that runs for a limited time. The program writes to an unnamed file: a pipe would
/// remain open until every process that inherited it has ended.
///
/// @param code the exit code; -1 if the program was killed after the time limit
/// @param out the output on stdout and stderr
public record CommandOutput(int code, String out) {
    /// The limit for programs that answer immediately on a machine with enough free cores.
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /// Runs a program. Returns null if the program cannot be started, or if this thread is interrupted.
    ///
    /// @param environment changes the environment of the program
    public static @Nullable CommandOutput of(
            List<String> command, Duration longest, Consumer<Map<String, String>> environment) {
        try (JobFile out = OsPlatform.open().createFile("tutti-answer", 1)) {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(new File(out.path()))
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
            environment.accept(builder.environment());
            Process process = builder.start();
            try {
                boolean ended = process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
                int code = ended ? process.exitValue() : -1;
                return new CommandOutput(
                        code, new String(Files.readAllBytes(Path.of(out.path())), StandardCharsets.UTF_8));
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// As [#of(List, Duration, Consumer)], with the limit [#LONGEST].
    public static @Nullable CommandOutput of(List<String> command, Consumer<Map<String, String>> environment) {
        return of(command, LONGEST, environment);
    }
}
