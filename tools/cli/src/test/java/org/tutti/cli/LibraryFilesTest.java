package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.UsageException;
import org.tutti.launch.artifact.MavenCoordinates;
import org.tutti.launch.artifact.MavenRepository;
import org.tutti.launch.artifact.Repositories;

/// A library of two jars in a folder that the test fills.
class LibraryFilesTest {
    private static final String SHA256_OF_HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    private static final String PLATFORM =
            "linux-" + (System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch"));

    @TempDir
    Path directory;

    private Path shipped;

    @BeforeEach
    void ship() throws IOException {
        shipped = Files.createDirectory(directory.resolve("lib"));
        Files.writeString(shipped.resolve("tutti-train-lib-1.jar"), "adapter");
        Files.writeString(
                shipped.resolve(PLATFORM + ".tsv"),
                "g:a:1\t5\t" + SHA256_OF_HELLO + "\ng:a:1:natives\t5\t" + SHA256_OF_HELLO + "\n");
    }

    /// Repositories in which every file has this content. Each download appends at most `piece` bytes.
    private record Content(String content, int piece, List<String> requests) implements Repositories {
        Content(String content, int piece) {
            this(content, piece, new ArrayList<>());
        }

        @Override
        public List<Path> resolve(
                List<MavenCoordinates> artifacts, List<MavenRepository> from, Consumer<String> onDownload) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void download(MavenCoordinates artifact, Path file, LongConsumer received) throws IOException {
            int present = (int) Files.size(file);
            requests.add(artifact + " from " + present);
            Files.writeString(
                    file,
                    content.substring(present, Math.min(content.length(), present + piece)),
                    StandardOpenOption.APPEND);
            received.accept(Files.size(file));
        }
    }

    @Test
    void everyJarIsDownloadedOnce() throws IOException {
        LibraryFiles files = LibraryFiles.in(shipped);
        assertThat(files.isComplete()).isFalse();
        assertThat(files.bytes()).isEqualTo(10);
        Content content = new Content("hello", 5);
        List<Long> received = new ArrayList<>();
        files.fetch(content, shipped, received::add);
        assertThat(files.isComplete()).isTrue();
        assertThat(received).containsExactly(5L, 10L);
        assertThat(files.classPath())
                .containsExactly(
                        shipped.resolve("tutti-train-lib-1.jar"),
                        shipped.resolve("a-1.jar"),
                        shipped.resolve("a-1-natives.jar"));
        files.fetch(content, shipped, received::add);
        assertThat(content.requests()).containsExactly("g:a:1 from 0", "g:a:1:natives from 0");
    }

    @Test
    void anIncompleteDownloadContinues() throws IOException {
        LibraryFiles files = LibraryFiles.in(shipped);
        Content content = new Content("hello", 3);
        assertThatThrownBy(() -> files.fetch(content, shipped, size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "a-1.jar: the connection ended after 3 of 5 bytes; run tutti fetch lib again, which continues");
        assertThat(files.bytesPresent()).isEqualTo(3);
        assertThatThrownBy(() -> files.fetch(content, shipped, size -> {})).isInstanceOf(IOException.class);
        assertThat(content.requests()).containsExactly("g:a:1 from 0", "g:a:1 from 3", "g:a:1:natives from 0");
        assertThat(shipped.resolve("a-1.jar")).hasContent("hello");
    }

    @Test
    void aShorterFileOfTheRepositoryIsReported() throws IOException {
        Files.writeString(shipped.resolve("a-1.jar.part"), "hel");
        assertThatThrownBy(() -> LibraryFiles.in(shipped).fetch(new Content("hel", 5), shipped, size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("a-1.jar: the repository's file has 3 bytes, but 5 were expected; use another mirror"
                        + " (~/.m2/settings.xml)");
        assertThat(shipped.resolve("a-1.jar.part")).doesNotExist();
    }

    @Test
    void aCompletePartIsNotRequestedAgain() throws IOException {
        Files.writeString(shipped.resolve("a-1.jar.part"), "hello");
        Files.writeString(shipped.resolve("a-1-natives.jar.part"), "hello, world");
        Content content = new Content("hello", 5);
        LibraryFiles.in(shipped).fetch(content, shipped, size -> {});
        assertThat(content.requests()).containsExactly("g:a:1:natives from 0");
    }

    @Test
    void anotherFileIsRejected() {
        LibraryFiles files = LibraryFiles.in(shipped);
        assertThatThrownBy(() -> files.fetch(new Content("jello", 5), shipped, size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("a-1.jar has the SHA-256 ")
                .hasMessageContaining("but " + SHA256_OF_HELLO + " was expected");
        assertThat(files.bytesPresent()).isZero();
    }

    @Test
    void twoDownloadsExcludeEachOther() throws IOException {
        LibraryFiles files = LibraryFiles.in(shipped);
        try (FileChannel other = FileChannel.open(
                        shipped.resolve("a-1.jar.part"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = other.lock()) {
            assertThatThrownBy(() -> files.fetch(new Content("hello", 5), shipped, size -> {}))
                    .hasMessage("another tutti fetch downloads to " + shipped + "; wait for its end");
        }
    }

    @Test
    void anotherPlatformIsNamed() throws IOException {
        Files.move(shipped.resolve(PLATFORM + ".tsv"), shipped.resolve("solaris-sparc.tsv"));
        assertThatThrownBy(() -> LibraryFiles.in(shipped))
                .isInstanceOf(UsageException.class)
                .hasMessage("lib is not available for " + PLATFORM + ", only for solaris-sparc");
    }
}
