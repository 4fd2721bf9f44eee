package org.tutti.launch.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.launch.UsageException;

class SourceDirectivesTest {
    @TempDir
    Path directory;

    private SourceDirectives read(String text) throws IOException {
        return SourceDirectives.of(directory.resolve("Main.java"), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void severalLibrariesAreOnOneLine() throws IOException {
        SourceDirectives read = read("""
                ///usr/bin/env jbang "$0" "$@" ; exit $?
                //DEPS com.google.code.gson:gson:2.11.0 org.slf4j:slf4j-api:2.0.17, 'a:b:[1,2)' // for JSON
                //DEPS org.bytedeco:javacpp:1.5.13:linux-x86_64;info.picocli:picocli:4.7+
                //DEPS io.quarkus:quarkus-bom:3.8.0@pom io.quarkus:quarkus-rest
                """);
        assertThat(read.dependencies())
                .extracting(MavenCoordinates::toString)
                .containsExactly(
                        "com.google.code.gson:gson:2.11.0",
                        "org.slf4j:slf4j-api:2.0.17",
                        "a:b:[1,2)",
                        "org.bytedeco:javacpp:1.5.13:linux-x86_64",
                        "info.picocli:picocli:[4.7,)",
                        "io.quarkus:quarkus-bom:3.8.0@pom",
                        "io.quarkus:quarkus-rest");
        assertThat(read.repositories()).isEmpty();
        assertThat(read.ignored()).isEmpty();
    }

    @Test
    void aPropertyHasADefault() throws IOException {
        SourceDirectives read =
                read("//DEPS org.openjfx:javafx-base:${javafx.version:25}:${path.separator.none:natives}\n");
        assertThat(read.dependencies())
                .extracting(MavenCoordinates::toString)
                .containsExactly("org.openjfx:javafx-base:25:natives");
    }

    @Test
    void otherCommentsAreNoDirectives() throws IOException {
        SourceDirectives read = read("""
                // DEPS com.google.code.gson:gson:2.11.0
                 //DEPS com.google.code.gson:gson:2.11.0
                //NOTE a:b:c
                //DEPSx a:b:c
                //HELLO
                //
                class Main {} //DEPS a:b:c
                //""");
        assertThat(read.dependencies()).isEmpty();
        assertThat(read.ignored()).isEmpty();
    }

    /// The command contains the module `tutti`, so that a repository need not contain it.
    @Test
    void tuttiIsNotALibraryOfAProgram() throws IOException {
        SourceDirectives read = read("//DEPS org.tutti:tutti:0.1.0 org.tutti:tutti-train-torch:0.1.0\n");
        assertThat(read.dependencies()).extracting(MavenCoordinates::name).containsExactly("tutti-train-torch");
    }

    @Test
    void repositoriesHaveNamesOrUrls() throws IOException {
        SourceDirectives read =
                read("//REPOS mavencentral,acme=https://repo.acme.org/m2 https://x.org/?k=v mine=google\r\n");
        assertThat(read.repositories())
                .containsExactly(
                        new MavenRepository("central", "https://repo.maven.apache.org/maven2/"),
                        new MavenRepository("acme", "https://repo.acme.org/m2"),
                        new MavenRepository("https___x.org__k_v", "https://x.org/?k=v"),
                        new MavenRepository("mine", "https://maven.google.com/"));
    }

    @Test
    void includedFilesHaveDirectives() throws IOException {
        Path util = Files.createDirectories(directory.resolve("util/deep"));
        Files.writeString(util.resolve("A.java"), "//DEPS g:a:1\n//SOURCES ../B.java ../../Main.java\n");
        Files.writeString(directory.resolve("util/B.java"), "//DEPS g:b:1\n//SOURCES deep/A.java\n");
        Files.writeString(directory.resolve("Main.java"), "");
        SourceDirectives read = read("//SOURCES util/**/*.java\n");
        assertThat(read.sources()).containsExactlyInAnyOrder(util.resolve("A.java"), directory.resolve("util/B.java"));
        assertThat(read.dependencies()).extracting(MavenCoordinates::name).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void includedFilesAreUtf8OrAreReportedByTheCompiler() throws IOException {
        Path latin = Files.write(
                directory.resolve("Latin.java"), "//DEPS a:b:1\n// \u00e9".getBytes(StandardCharsets.ISO_8859_1));
        SourceDirectives read = read("//SOURCES Latin.java\n");
        assertThat(read.sources()).containsExactly(latin);
        assertThat(read.dependencies()).hasSize(1);
    }

    @Test
    void directivesWithoutEffectAreReported() throws IOException {
        SourceDirectives read = read("//JAVAC_OPTIONS -Xlint\n//JAVA_OPTIONS -Xmx1g\n//DESCRIPTION text\n//JAVA 17\n");
        assertThat(read.ignored()).containsExactly("//JAVA 17", "//JAVAC_OPTIONS", "//JAVA_OPTIONS");
        assertThat(read("//JAVA 17+\n").ignored()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "//DEPS gson | Main.java: //DEPS gson is not the name of a library",
                "//DEPS a:b:1:c:d | Main.java: //DEPS a:b:1:c:d is not the name of a library",
                "//DEPS https://github.com/a/b | Main.java: //DEPS https://github.com/a/b is not the name of a library",
                "//DEPS a:b:../../../c | Main.java: //DEPS a:b:../../../c is not the name of a library",
                "//DEPS a:b:1:../../c | Main.java: //DEPS a:b:1:../../c is not the name of a library",
                "//DEPS a:b:1@../../c | Main.java: //DEPS a:b:1@../../c is not the name of a library",
                "//DEPS a:b:1\\..\\c | Main.java: //DEPS a:b:1\\..\\c is not the name of a library",
                "//DEPS ..:..:1 | Main.java: //DEPS ..:..:1 is not the name of a library",
                "//DEPS a:b:.. | Main.java: //DEPS a:b:.. is not the name of a library",
                "//DEPS a:b:${version} | Main.java: ${version} has no value; write ${version:DEFAULT}",
                "//REPOS nexus | //REPOS nexus: nexus is not a URL; names are central, google, jbossorg, jitpack",
                "//JAVA 99+ | Main.java needs Java 99 (//JAVA 99+), and tutti runs on Java ",
                "//JAVA new | Main.java: //JAVA new is not a version; write 25, or 25+ for 25 or newer",
                "//JAVA | Main.java: //JAVA  is not a version",
                "//SOURCES Util.java | Main.java: //SOURCES Util.java: no file ",
                "//SOURCES [ab | Main.java: //SOURCES [ab is not a file and not a valid pattern: ",
                "//SOURCES A\0.java | Main.java: //SOURCES A\0.java is not a file and not a valid pattern: ",
                "//SOURCES https://x.org/A.java | Main.java: //SOURCES https://x.org/A.java: source files are read from",
            })
    void mistakesAreExplained(String line, String message) {
        assertThatThrownBy(() -> read(line + "\n"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith(message);
    }
}
