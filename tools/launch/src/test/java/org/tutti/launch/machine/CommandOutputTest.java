package org.tutti.launch.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A program may never answer, or may leave a child that holds the output open. The programs here run for ten
/// minutes.
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandOutputTest {
    @TempDir
    Path directory;

    private static CommandOutput ask(Duration longest, String script) {
        return CommandOutput.of(List.of("sh", "-c", script), longest, environment -> {});
    }

    @Test
    void returnsOutputAndExitCode() {
        assertThat(ask(Duration.ofMinutes(1), "echo out; echo err >&2; exit 3"))
                .isEqualTo(new CommandOutput(3, "out\nerr\n"));
        assertThat(CommandOutput.of(List.of(directory + "/none"), environment -> {}))
                .isNull();
    }

    @Test
    void aHangingProgramIsKilled() {
        CommandOutput asked = ask(Duration.ofMillis(300), "echo $$; sleep 600");
        assertThat(asked.code()).isEqualTo(-1);
        // the line may be delayed on a busy machine
        asked.out()
                .lines()
                .map(Long::parseLong)
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .forEach(process -> process.onExit().join());
    }

    @Test
    void aChildThatStaysIsNotWaitedFor() {
        CommandOutput asked = ask(Duration.ofMinutes(1), "sleep 600 & echo $!");
        ProcessHandle.of(Long.parseLong(asked.out().strip())).ifPresent(ProcessHandle::destroyForcibly);
        assertThat(asked.code()).isZero();
    }
}
