package org.tutti.job.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheDirTest {
    @TempDir
    Path base;

    private static String mode(Path directory) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
    }

    @Test
    void onlyTheOwnerHasAccess() throws Exception {
        Path programs = CacheDir.open(base, "programs");
        assertThat(programs).isNotNull().isDirectory();
        assertThat(mode(programs)).isEqualTo("rwx------");
        assertThat(mode(programs.getParent())).isEqualTo("rwx------");
    }

    @Test
    void aDirectoryWritableByOtherUsersIsMadePrivate() throws Exception {
        Path aot = Files.createDirectories(base.resolve("tutti/aot"));
        Files.setPosixFilePermissions(aot, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(CacheDir.open(base, "aot")).isEqualTo(aot);
        assertThat(mode(aot)).isEqualTo("rwx------");
    }

    @Test
    void aDirectoryOfAnotherUserIsNotUsed() throws Exception {
        Path programs = Files.createDirectories(base.resolve("tutti/programs"));
        if (!"root".equals(System.getProperty("user.name"))) return; // only root can change the owner
        Files.setAttribute(programs, "unix:uid", 4711);
        assertThat(CacheDir.open(base, "programs")).isNull();
        assertThat(CacheDir.open(base, "aot")).isNotNull();
        Files.setAttribute(programs.getParent(), "unix:uid", 4711);
        assertThat(CacheDir.open(base, "aot")).isNull();
    }

    /// Two processes with the same pid, in two containers, write the same file.
    @Test
    void noTwoDraftsHaveOneName() throws Exception {
        Path file = base.resolve("x.jar");
        Path first = CacheDir.draft(file);
        assertThat(CacheDir.draft(file)).isNotEqualTo(first).hasParentRaw(base);
    }

    @Test
    void usedFilesAreKeptUpToALimit() throws Exception {
        for (int i = 0; i < 30; i++) {
            Path file = Files.createFile(base.resolve("file" + (10 + i)));
            if (i < 10) Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L + i));
            else Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() - 1000 + i));
        }
        CacheDir.touch(base.resolve("file10"));
        CacheDir.prune(base, 5, 60_000);
        assertThat(base.toFile().list()).hasSize(21).contains("file10").doesNotContain("file11");
        CacheDir.prune(base, 1, 60_000);
        assertThat(base.toFile().list()).hasSize(10).contains("file10", "file39");
        CacheDir.prune(base, 1);
        assertThat(base.toFile().list()).containsExactly("file10");
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() throws Exception {
        Path file = base.resolve("no/x.jar");
        assertThatThrownBy(() -> CacheDir.write(file, new byte[1]))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + " cannot be written: ");
    }

    @Test
    void aFileIsWrittenWhole() throws Exception {
        Path file = base.resolve("x.key");
        CacheDir.write(file, "one".getBytes(StandardCharsets.UTF_8));
        CacheDir.write(file, "two".getBytes(StandardCharsets.UTF_8));
        assertThat(file).hasContent("two");
        assertThat(base.toFile().list()).containsExactly("x.key");
    }
}
