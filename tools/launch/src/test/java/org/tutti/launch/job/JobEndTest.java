package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;

/// The end of a job of shell scripts. Scripts that sleep do so for ten minutes.
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobEndTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private RunBuilder run(int ranks) {
        return Run.of("Script.java", List.of()).size(ranks).output(out).error(err);
    }

    private static Job.End end(Run run, String script) throws Exception {
        List<Program> programs = new ArrayList<>();
        for (ProgramSpec spec : run.programs()) programs.add(new Program.Other(spec, List.of("sh", "-c"), script));
        return Launcher.runHere(run, programs, true, status -> {});
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /// Each rank waits until the other rank's output has been relayed.
    @Test
    void unfinishedLinesOfRanksAreNotMixed() throws Exception {
        OutputStream seen = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                out.write(b);
                if (out.toString(StandardCharsets.UTF_8).endsWith("name? ")) Files.createFile(directory.resolve("1"));
                if (out.toString(StandardCharsets.UTF_8).endsWith("other")) Files.createFile(directory.resolve("0"));
            }
        };
        String wait = "until [ -e " + directory + "/$TUTTI_RANK ]; do sleep 0.05; done; ";
        String script =
                "if [ $TUTTI_RANK = 0 ]; then printf 'name? '; " + wait + "echo Ada; else " + wait + "echo other; fi";
        assertThat(end(run(2).output(seen).build(), script).code()).isZero();
        assertThat(out).hasToString("name? \nother\nAda\n");
    }

    @Test
    void aFullFileOfARankIsReportedAndTheJobContinues() throws Exception {
        Files.createSymbolicLink(directory.resolve("rank-1.out"), Path.of("/dev/full"));
        Job.End end = end(run(2).outputDir(directory).build(), "echo rank $TUTTI_RANK");
        assertThat(end.code()).isEqualTo(1);
        String full = directory.resolve("rank-1.out") + " cannot be written: ";
        assertThat(end.text()).startsWith("all ranks ended well, but " + full).endsWith(": exit code 1");
        assertThat(errors()).startsWith("tutti: " + full).endsWith("; the rest of its output is missing\n");
        assertThat(directory.resolve("rank-0.out")).hasContent("rank 0\n");
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).containsExactlyInAnyOrder("rank 0", "rank 1");
        Files.delete(directory.resolve("rank-1.out"));
    }

    @Test
    void aFullStdoutStopsTheJobAndIsReported() throws Exception {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Job.End end = end(run(1).output(full).build(), "echo hello; exec sleep 600");
        assertThat(end.code()).isEqualTo(1);
        assertThat(end.text())
                .isEqualTo("stdout cannot be written: No space left on device: exit code 1; rank 0 was stopped");
    }

    /// Rank 0 overwrites its state on the status page with an invalid value.
    @Test
    void anUnexpectedErrorLeavesNoRank() throws Exception {
        String file = directory + "/$TUTTI_RANK";
        String script = "echo $$ >" + file + ".new; mv " + file + ".new " + file + "; [ $TUTTI_RANK = 0 ]"
                + " && printf '\\177\\177\\177\\177\\177\\177\\177\\177'"
                + " | dd of=$TUTTI_JOB bs=1 seek=4096 conv=notrunc 2>/dev/null; exec sleep 600";
        assertThatThrownBy(() -> end(run(2).build(), script)).isInstanceOf(IndexOutOfBoundsException.class);
        for (String rank : new String[] {"0", "1"}) {
            Path pidFile = directory.resolve(rank);
            if (!Files.exists(pidFile)) continue; // ended before the first output
            long pid = Long.parseLong(Files.readString(pidFile).strip());
            assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                    .isFalse();
        }
    }
}
