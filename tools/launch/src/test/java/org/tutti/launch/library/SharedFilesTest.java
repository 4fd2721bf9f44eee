package org.tutti.launch.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFilesTest {
    private static final List<ProcessHandle> RANKS = List.of(ProcessHandle.current());

    @TempDir
    Path directory;

    private Path file(String name) throws Exception {
        return Files.write(directory.resolve(name), new byte[4096]);
    }

    private static void map(Path file, Arena arena) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena);
        }
    }

    @Test
    void removesOnlyFilesThatARankWasSeenToMap() throws Exception {
        Path mapped = file("lib_shar_tmpA"), unmapped = file("lib_shar_tmpB"), other = file("other");
        SharedFiles files = new SharedFiles(directory, List.of("lib_shar_tmp", "net_"));
        try (Arena arena = Arena.ofConfined()) {
            map(mapped, arena);
            map(other, arena);
            files.scan(RANKS);
        }
        files.sweep();
        assertThat(mapped).doesNotExist();
        assertThat(unmapped).exists();
        assertThat(other).exists();
    }

    @Test
    void keepsFilesThatAProcessStillMaps() throws Exception {
        Path mapped = file("lib_shar_tmpA");
        SharedFiles files = new SharedFiles(directory, List.of("lib_shar_tmp", "net_"));
        try (Arena arena = Arena.ofConfined()) {
            map(mapped, arena);
            files.scan(RANKS);
            files.sweep();
            assertThat(mapped).exists();
        }
        files.sweep();
        assertThat(mapped).doesNotExist();
    }

    @Test
    void aLibraryWithoutSuchFilesLosesNone() throws Exception {
        Path mapped = file("lib_shar_tmpA");
        SharedFiles files = new SharedFiles(directory, List.of());
        try (Arena arena = Arena.ofConfined()) {
            map(mapped, arena);
            files.scan(RANKS);
        }
        files.sweep();
        assertThat(mapped).exists();
    }
}
