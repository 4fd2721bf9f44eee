package org.tutti.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.artifact.MavenCoordinates;
import org.tutti.launch.artifact.MavenRepository;

/// A repository in a directory, which the settings of a user specify as the mirror of all repositories.
class MavenRepositoriesTest {
    @TempDir
    Path directory;

    private MavenRepositories repositories;
    private Path remote;

    @BeforeEach
    void writeRepository() throws IOException {
        repositories = new MavenRepositories(directory.resolve(".m2"));
        remote = Files.createDirectory(directory.resolve("remote"));
        artifact(
                "g:a:1",
                "<dependency><groupId>g</groupId><artifactId>b</artifactId><version>1</version></dependency>"
                        + "<dependency><groupId>org.tutti</groupId><artifactId>tutti-mpi</artifactId><version>1</version>"
                        + "</dependency>");
        artifact("g:b:1", "");
        artifact("g:b:2", "");
        settings("<mirrors><mirror><id>mine</id><mirrorOf>*</mirrorOf><url>" + remote.toUri()
                + "</url></mirror></mirrors>");
    }

    private void settings(String content) throws IOException {
        Path file = Files.createDirectories(directory.resolve(".m2")).resolve("settings.xml");
        Files.writeString(file, "<settings>" + content + "</settings>");
    }

    private void artifact(String name, String dependencies) throws IOException {
        write(name, "jar", "", dependencies);
        Files.writeString(file(name, "jar"), "jar of " + name);
    }

    private void write(String name, String packaging, String managed, String dependencies) throws IOException {
        String[] parts = name.split(":");
        Path pom = file(name, "pom");
        Files.createDirectories(pom.getParent());
        Files.writeString(
                pom,
                "<project><modelVersion>4.0.0</modelVersion><groupId>" + parts[0] + "</groupId><artifactId>" + parts[1]
                        + "</artifactId><version>" + parts[2] + "</version><packaging>" + packaging
                        + "</packaging><dependencyManagement><dependencies>" + managed
                        + "</dependencies></dependencyManagement><dependencies>" + dependencies
                        + "</dependencies></project>");
    }

    private Path file(String name, String extension) {
        String[] parts = name.split(":");
        return remote.resolve(parts[0].replace('.', '/'))
                .resolve(parts[1])
                .resolve(parts[2])
                .resolve(parts[1] + "-" + parts[2] + "." + extension);
    }

    private List<String> resolve(String... names) throws IOException {
        return repositories
                .resolve(
                        Arrays.stream(names).map(MavenCoordinates::of).toList(), List.of(), from -> downloads.add(from))
                .stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    private final List<String> downloads = new ArrayList<>();

    @Test
    void dependenciesFollowTheLibrary() throws IOException {
        assertThat(resolve("g:a:1")).containsExactly("a-1.jar", "b-1.jar");
        assertThat(downloads).containsExactly(remote.toUri().toString());
        assertThat(directory.resolve(".m2/repository/g/a/1/a-1.jar")).hasContent("jar of g:a:1");
    }

    @Test
    void theSecondTimeNeedsNoRepository() throws IOException {
        resolve("g:a:1");
        downloads.clear();
        Files.move(remote, directory.resolve("moved"));
        assertThat(resolve("g:a:1")).containsExactly("a-1.jar", "b-1.jar");
        assertThat(downloads).isEmpty();
    }

    @Test
    void theFirstOfTwoVersionsWins() throws IOException {
        assertThat(resolve("g:b:2", "g:a:1")).containsExactly("b-2.jar", "a-1.jar");
    }

    @Test
    void aBomHasVersions() throws IOException {
        write(
                "g:bom:1",
                "pom",
                "<dependency><groupId>g</groupId><artifactId>b</artifactId><version>2</version></dependency>",
                "");
        assertThat(resolve("g:bom:1@pom", "g:b")).containsExactly("b-2.jar");
        assertThatThrownBy(() -> resolve("g:bom:1@pom", "g:c"))
                .isInstanceOf(IOException.class)
                .hasMessage("g:c has no version, and no BOM (@pom) in the file contains it; add :VERSION");
    }

    @Test
    void aWrongVersionIsTheRepositorysSentence() {
        assertThatThrownBy(() -> resolve("g:a:99"))
                .isInstanceOf(IOException.class)
                .hasMessage("Could not find artifact g:a:jar:99 in mine (" + remote.toUri() + ")");
    }

    @Test
    void theOnlyRepositoriesAreThoseOfTheFile() throws IOException {
        settings("");
        Path jar = repositories
                .resolve(
                        List.of(MavenCoordinates.of("g:b:1")),
                        List.of(new MavenRepository("here", remote.toUri().toString())),
                        from -> {})
                .getFirst();
        assertThat(jar).hasContent("jar of g:b:1");
    }

    @Test
    void aFileWithAWrongChecksumIsRejected() throws IOException {
        Files.writeString(file("g:b:1", "jar.sha1"), "0000000000000000000000000000000000000000");
        assertThatThrownBy(() -> resolve("g:a:1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("b-1.jar has the checksum ")
                .hasMessageContaining(", but 0000000000000000000000000000000000000000 was expected; the repository is"
                        + " damaged, or the download was changed");
        assertThat(directory.resolve(".m2/repository/g/b/1/b-1.jar")).doesNotExist();
    }

    @Test
    void offlineIsRespected() throws IOException {
        settings("<offline>true</offline>");
        assertThatThrownBy(() -> resolve("g:a:1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("offline");
        assertThatThrownBy(() ->
                        repositories.download(MavenCoordinates.of("g:a:1"), directory.resolve("a.jar"), size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("Maven is set to work offline (settings.xml), and g:a:1 is not in the local repository");
    }

    @Test
    void invalidSettingsAreReported() throws IOException {
        settings("<mirrors>");
        assertThatThrownBy(() -> resolve("g:a:1"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(directory.resolve(".m2/settings.xml") + " is invalid: ");
    }

    /// The server ends the first response after 300,000 of a million bytes.
    @Test
    void aDownloadContinues() throws IOException {
        byte[] content = "0123456789".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        List<String> ranges = new ArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/g/big/1/big-1.jar", exchange -> {
            String range = exchange.getRequestHeaders().getFirst("Range");
            int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
            boolean isFirst = ranges.isEmpty();
            ranges.add(String.valueOf(range));
            exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
            exchange.getResponseBody().write(content, from, (isFirst ? 300_000 : content.length) - from);
            exchange.close();
        });
        server.start();
        try {
            settings("<mirrors><mirror><id>mine</id><mirrorOf>*</mirrorOf><url>http://localhost:"
                    + server.getAddress().getPort() + "</url></mirror></mirrors>");
            Path file = directory.resolve("big.jar");
            List<Long> sizes = new ArrayList<>();
            MavenCoordinates big = MavenCoordinates.of("g:big:1");
            assertThatThrownBy(() -> repositories.download(big, file, sizes::add))
                    .isInstanceOf(IOException.class);
            assertThat(file).hasSize(300_000);
            repositories.download(big, file, sizes::add);
            assertThat(file).hasBinaryContent(content);
            assertThat(ranges).containsExactly("null", "bytes=300000-");
            assertThat(sizes).isSorted().endsWith((long) content.length);
            assertThatThrownBy(() -> repositories.download(MavenCoordinates.of("g:none:1"), file, sizes::add))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("there is no g:none:jar:1 in mine (http://localhost:");
        } finally {
            server.stop(0);
        }
    }

    /// The caller has opened the file before the download, as for a lock, and must see the new size.
    @Test
    void aDownloadDoesNotReplaceTheFile() throws IOException {
        MavenCoordinates b = MavenCoordinates.of("g:b:1");
        resolve("g:b:1"); // into the local repository
        Path file = directory.resolve("b.jar");
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            repositories.download(b, file, size -> {});
            assertThat(file).hasContent("jar of g:b:1");
            assertThat(open.size()).isEqualTo("jar of g:b:1".length());
        }
    }

    /// The partial file is longer than the file of the repository.
    @Test
    void aLongerPartIsOverwritten() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/g/new/1/new-1.jar", exchange -> {
            boolean isRange = exchange.getRequestHeaders().containsKey("Range");
            exchange.sendResponseHeaders(isRange ? 416 : 200, isRange ? -1 : 3);
            if (!isRange) exchange.getResponseBody().write("new".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        Path file = Files.writeString(directory.resolve("new.jar"), "longer");
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            settings("<mirrors><mirror><id>mine</id><mirrorOf>*</mirrorOf><url>http://localhost:"
                    + server.getAddress().getPort() + "</url></mirror></mirrors>");
            repositories.download(MavenCoordinates.of("g:new:1"), file, size -> {});
            assertThat(file).hasContent("new");
            assertThat(open.size()).isEqualTo(3);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aMirrorMayBeADirectory() throws IOException {
        Path file = directory.resolve("b.jar");
        repositories.download(MavenCoordinates.of("g:b:1"), file, size -> {});
        assertThat(file).hasContent("jar of g:b:1");
        assertThatThrownBy(() -> repositories.download(MavenCoordinates.of("g:b:7"), file, size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("there is no g:b:jar:7 in mine (" + remote.toUri() + ")");
    }

    @Test
    void aMissingRepositoryIsOneSentence() throws IOException {
        settings(
                "<mirrors><mirror><id>mine</id><mirrorOf>*</mirrorOf><url>http://localhost:1/</url></mirror></mirrors>");
        assertThatThrownBy(() -> resolve("g:a:1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("localhost:1")
                .hasMessageEndingWith("; connect to the network, or set a mirror or a proxy in ~/.m2/settings.xml");
        assertThatThrownBy(() ->
                        repositories.download(MavenCoordinates.of("g:a:1"), directory.resolve("a.jar"), size -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("; connect to the network, or set a mirror or a proxy in ~/.m2/settings.xml");
    }
}
