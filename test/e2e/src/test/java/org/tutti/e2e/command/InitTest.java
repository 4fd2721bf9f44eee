package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.LocalRepository;
import org.tutti.e2e.job.ProcessOutcome;

/// `tutti init`: each kind of project is built, tested and run as the README of the project describes. Gradle
/// is not run, because Debian's version is too old for JDK 25; the files are compared with the files for Maven.
class InitTest extends JobTest {
    private static final Path WHERE = Checkout.scratch("init");
    private static final Pattern TESTS = Pattern.compile("Tests run: (\\d+), Failures: 0, Errors: 0, Skipped: 0");

    private static ProcessOutcome init(String... arguments) {
        List<String> line = new ArrayList<>(List.of("init"));
        line.addAll(List.of(arguments));
        return Command.here(line.toArray(String[]::new));
    }

    private static Path project(String name, String... options) {
        Path directory = WHERE.resolve(name);
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add(directory.toString());
        ProcessOutcome ended = init(arguments.toArray(String[]::new));
        assertThat(ended.code()).as("%s", ended).isZero();
        return directory;
    }

    @Test
    void noFileIsOverwritten() throws IOException {
        Path directory = Files.createDirectories(WHERE.resolve("full/src/main/java"));
        Path main = Files.writeString(directory.resolve("Main.java"), "mine");
        Path project = WHERE.resolve("full");
        ProcessOutcome ended = init(project.toString());
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err().strip())
                .isEqualTo("tutti: init " + project + ": " + main
                        + " exists, and init overwrites no file; name another directory");
        assertThat(main).hasContent("mine");
        assertThat(project.resolve("pom.xml")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                " | init needs a directory: tutti init demo",
                "--gradle --single x | init --gradle --single: these exclude each other",
                "--kotlin --gradle x | init --gradle --kotlin: these exclude each other",
                "--pool --train x | init --pool --train: these exclude each other",
                "--kotlin --train x | init --kotlin --train: these exclude each other",
                "README.md | init README.md: this is a file; name a directory",
                "/proc/x | init /proc/x: /proc/x: no such file or directory",
            })
    void mistakesAreExplained(String arguments, String message) {
        ProcessOutcome ended = init(arguments == null ? new String[0] : arguments.split(" "));
        assertThat(ended.code()).isNotZero();
        assertThat(ended.err().strip()).isEqualTo("tutti: " + message);
    }

    @Test
    void theCommandsArePrinted() throws IOException {
        Path directory = WHERE.resolve("printed");
        ProcessOutcome ended = init(directory.toString());
        assertThat(ended.out())
                .startsWith("created " + directory + "\n")
                .endsWith("To test and run it:\n  cd " + directory
                        + " && mvn -q test\n  tutti run -n 4 -cp target/classes Main\n");
        assertThat(Files.readAllLines(directory.resolve("README.md"))).hasSize(6);
        assertThat(directory.resolve(".gitignore")).hasContent("target/\n");
    }

    /// The generated files are also in install.md and tutorial.md, where a reader can copy the text.
    @Test
    void thePageHasTheSameFiles() throws IOException {
        String page = Files.readString(Checkout.ROOT.resolve("docs/install.md"));
        assertThat(page)
                .contains(Files.readString(project("page-maven").resolve("pom.xml"))
                        .replace("page-maven", "demo"))
                .contains(Files.readString(project("page-gradle", "--gradle").resolve("build.gradle")))
                .contains(Files.readString(project("page-test").resolve("src/test/java/MainTest.java")));
        assertThat(Files.readString(Checkout.ROOT.resolve("docs/tutorial.md")))
                .contains(Files.readString(project("tutorial-test").resolve("src/test/java/MainTest.java")));
    }

    @Test
    void gradleHasTheVersionsAndModulesOfMaven() throws IOException {
        for (String option : List.of("", "--pool", "--train")) {
            String[] options = option.isEmpty() ? new String[0] : new String[] {option};
            Path maven = project("versions-maven" + option, options);
            Path gradle = project(
                    "versions-gradle" + option,
                    Stream.concat(Stream.of("--gradle"), Stream.of(options)).toArray(String[]::new));
            String build = Files.readString(gradle.resolve("build.gradle"));
            Matcher artifact = Pattern.compile(
                            "<groupId>(org\\.(?:tutti|junit)[^<]*)</groupId>\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>([^<]+)<)?")
                    .matcher(Files.readString(maven.resolve("pom.xml")));
            int found = 0;
            while (artifact.find()) {
                found++;
                String name = artifact.group(1) + ":" + artifact.group(2)
                        + (artifact.group(3) == null ? "" : ":" + artifact.group(3));
                assertThat(build).contains("'" + name + "'");
            }
            assertThat(found).isEqualTo(option.isEmpty() ? 4 : 5);
            assertThat(gradle.resolve("src/main/java/Main.java"))
                    .hasSameTextualContentAs(maven.resolve("src/main/java/Main.java"));
        }
    }

    /// Builds the three kinds of projects in one Maven build, without a network.
    @Test
    @Tag("ci")
    void projectsOfMavenAreBuiltTestedAndRun() throws Exception {
        List<Path> projects =
                List.of(project("all/messages"), project("all/pool", "--pool"), project("all/train", "--train"));
        Files.writeString(
                WHERE.resolve("all/pom.xml"),
                "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>all</artifactId>"
                        + "<version>1</version><packaging>pom</packaging><modules><module>messages</module>"
                        + "<module>pool</module><module>train</module></modules></project>");
        ProcessOutcome tests = LocalRepository.build(WHERE.resolve("all/pom.xml"), "-o", "test");
        assertThat(TESTS.matcher(tests.out()).results().map(m -> m.group(1)).distinct())
                .as("%s", tests)
                .containsExactlyInAnyOrder("4", "1");
        String[] outputs = {
            "pi is 3.14159265, computed by 3 ranks", "primes below 1000000: 78498", "weights: [1.0, 2.0, 3.0, 4.0]"
        };
        for (int i = 0; i < outputs.length; i++) {
            ProcessOutcome ran = Command.tutti("run", "-n", "3", "-cp", "target/classes", "Main")
                    .in(projects.get(i))
                    .run();
            assertThat(ran.code()).as("%s", ran).isZero();
            assertThat(ran.out().strip()).isEqualTo(outputs[i]);
            assertThat(ran.err()).isEmpty();
        }
    }

    @Test
    @Tag("ci")
    void aSingleFileRuns() throws Exception {
        Path messages = project("single", "--single"), pool = project("single-pool", "--single", "--pool");
        ProcessOutcome ran =
                Command.tutti("run", "-n", "3", "Main.java").in(messages).run();
        assertThat(ran.out().strip()).as("%s", ran).isEqualTo("pi is 3.14159265, computed by 3 ranks");
        assertThat(ran.err()).isEmpty();
        ran = Command.tutti("run", "-n", "3", "Main.java").in(pool).run();
        assertThat(ran.out().strip()).as("%s", ran).isEqualTo("primes below 1000000: 78498");
    }

    /// May download the Kotlin compiler, which no other build needs.
    @Test
    @Tag("ci")
    void aProjectInKotlinIsBuiltTestedAndRun() throws Exception {
        Path project = project("kotlin", "--kotlin");
        ProcessOutcome tests = LocalRepository.build(project.resolve("pom.xml"), "test");
        assertThat(tests.out()).contains("Tests run: 4, Failures: 0, Errors: 0, Skipped: 0");
        ProcessOutcome ran = Command.tutti("run", "-n", "3", "-cp", "target/classes:target/lib/*", "MainKt")
                .in(project)
                .run();
        assertThat(ran.out().strip()).as("%s", ran).isEqualTo("pi is 3.14159265, computed by 3 ranks");
    }
}
