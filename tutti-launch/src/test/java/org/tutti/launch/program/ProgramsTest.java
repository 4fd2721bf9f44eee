package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {
    @TempDir
    private Path directory;

    private ProgramSpec script;

    @BeforeEach
    void write() throws Exception {
        Path file = Files.writeString(directory.resolve("x.py"), "");
        script = new ProgramSpec(1, file.toString(), List.of("-v"), null, List.of());
    }

    private Program other(String path) {
        return Programs.resolve(script, path);
    }

    /// What a native launcher does to the ranks' `PATH` is of no matter.
    @Test
    void aPythonProgramIsRunByTheFirstPythonOfThePath() throws Exception {
        Path environment = Files.createDirectories(directory.resolve("venv/bin"));
        Path real = Files.createFile(
                directory.resolve("python3.11"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path python = Files.createSymbolicLink(environment.resolve("python3"), real);
        String path = directory.resolve("none") + File.pathSeparator + environment + File.pathSeparator + "/usr/bin";
        assertThat(other(path))
                .isEqualTo(new Program.Other(script, List.of(python.toString()), script.program()))
                .extracting(Program::files)
                .isEqualTo(List.of(python.toString(), script.program()));
    }

    @Test
    void whereThereIsNoPythonTheRanksLookForIt() {
        assertThat(other(directory.resolve("none").toString()))
                .isEqualTo(new Program.Other(script, List.of("python3"), script.program()))
                .extracting(Program::files)
                .isEqualTo(List.of(script.program()));
    }
}
