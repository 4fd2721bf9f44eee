package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class InitCommandTest {
    @TempDir
    Path directory;

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Path outside = directory.resolve("outside.java");
        Path project = Files.createDirectory(directory.resolve("demo"));
        Files.createSymbolicLink(project.resolve("Main.java"), outside);
        MainOutcome end = MainOutcome.of("init", "--single", project.toString());
        assertThat(end.code()).isEqualTo(2);
        assertThat(end.err()).contains(project.resolve("Main.java") + " exists, and init overwrites no file");
        assertThat(outside).doesNotExist();
        assertThat(project.resolve("README.md")).doesNotExist();
    }

    /// The directory of the sources cannot be created, because a file has this name.
    @Test
    void aFailureDeletesTheWrittenFiles() throws IOException {
        Path project = Files.createDirectory(directory.resolve("demo"));
        Path file = Files.writeString(project.resolve("src"), "a file");
        MainOutcome end = MainOutcome.of("init", project.toString());
        assertThat(end.code()).isNotZero();
        assertThat(end.err()).contains("init " + project);
        assertThat(project).isDirectoryNotContaining("glob:**pom.xml");
        assertThat(file).hasContent("a file");
    }
}
