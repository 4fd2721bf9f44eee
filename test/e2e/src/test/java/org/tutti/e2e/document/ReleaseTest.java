package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// A release, deployed to a folder: a user's project is built from it, tested with it and run by it; in a copy
/// of the checkout, because this test runs inside a build.
@Tag("full")
class ReleaseTest extends JobTest {
    /// Directories that a copy of the checkout omits.
    private static final Set<String> BUILT = Set.of("target", ".git");

    private static final Path WHERE = Checkout.scratch("release");
    private static final Path SOURCE = WHERE.resolve("source");
    private static final Path REPOSITORY = WHERE.resolve("repository");

    /// The program of the two projects.
    private static final Path PROJECTS = WHERE.resolve("projects");

    private static final String SUM = "the ranks of 4 add up to 6";

    @BeforeAll
    static void deploy() throws Exception {
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        copy(Checkout.ROOT, SOURCE);
        copy(Checkout.module("tutti-e2e").resolve("src/test/projects"), PROJECTS);
        maven(
                "-q",
                "-Prelease",
                "deploy",
                "-Dmaven.test.skip=true",
                "-Dspotless.check.skip=true",
                "-Dmaven.install.skip=true",
                "-Dgpg.skip",
                "-Dtutti.repository=" + REPOSITORY.toUri());
    }

    @Test
    void everyModuleIsDeployed() throws Exception {
        String version = version();
        Path tutti = REPOSITORY.resolve("org/tutti");
        List<String> modules = modulesOfBom();
        for (String module : modules) {
            assertThat(files(tutti.resolve(module, version)))
                    .as("deployed files of %s", module)
                    .anyMatch(f -> f.endsWith(".pom"))
                    .anyMatch(f -> f.endsWith(".jar") && !f.contains("-sources") && !f.contains("-javadoc"))
                    .anyMatch(f -> f.endsWith("-sources.jar"))
                    .anyMatch(f -> f.endsWith("-javadoc.jar"));
        }
        List<String> expected = new ArrayList<>(modules);
        expected.addAll(List.of("tutti-bom", "tutti-parent"));
        assertThat(files(tutti)).containsExactlyInAnyOrderElementsOf(expected);
        isTheSameFromAnotherBuild(tutti.resolve("tutti-mpi", version));
    }

    @Test
    void aProjectOfMavenIsBuiltTestedAndRun() throws Exception {
        Path project = PROJECTS.resolve("maven");
        List<String> from = List.of(
                "-f",
                project.resolve("pom.xml").toString(),
                "-Drepository=" + REPOSITORY.toUri(),
                "-Dversion.of.tutti=" + version(),
                "-Dversion.of.junit=" + property("junit.version"),
                "-Dmaven.repo.local=" + WHERE.resolve("m2"),
                "-Dmaven.repo.local.tail=" + localRepositoryWithoutTutti());
        ProcessOutcome tests = maven(from, "test");
        assertThat(tests.out()).contains("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0");
        assertThat(files(WHERE.resolve("m2/org/tutti"))).contains("tutti", "tutti-mpi", "tutti-junit");
        String java = Checkout.java();
        ProcessOutcome ranks = maven(
                from,
                "-q",
                "exec:exec",
                "-Dexec.executable=" + java,
                "-Dexec.args=--enable-native-access=ALL-UNNAMED -cp %classpath org.tutti.cli.Main run -n 4 -cp "
                        + project.resolve("target/classes") + " SumOfRanks");
        assertThat(ranks.out().strip()).isEqualTo(SUM);
    }

    /// Creates a directory of links to the local repository, without Tutti: an installed version would hide the
    /// deployed version.
    private static Path localRepositoryWithoutTutti() throws IOException {
        Path local = Path.of(System.getProperty("user.home"), ".m2/repository");
        Path links = WHERE.resolve("local"), org = Files.createDirectories(links.resolve("org"));
        for (String name : files(local)) {
            if (!name.equals("org")) Files.createSymbolicLink(links.resolve(name), local.resolve(name));
        }
        for (String name : files(local.resolve("org"))) {
            if (!name.equals("tutti"))
                Files.createSymbolicLink(org.resolve(name), local.resolve("org").resolve(name));
        }
        return links;
    }

    /// Third-party dependencies are in the local repository.
    @Test
    void aProjectOfGradleIsBuiltAndRun() throws Exception {
        Way.need(Way.isOnPath("gradle"), "gradle is not installed");
        Path temporary = Files.createDirectories(WHERE.resolve("temporary")); // a link remains there
        ProcessOutcome ranks = Command.of(
                        "gradle",
                        "--no-daemon",
                        "--quiet",
                        "--gradle-user-home",
                        WHERE.resolve("gradle").toString(),
                        "-Prepository=" + REPOSITORY.toUri(),
                        "-PtuttiVersion=" + version(),
                        "-Pjdk=" + System.getProperty("java.home"),
                        "ranks")
                .in(PROJECTS.resolve("gradle"))
                .env("JAVA_OPTS", "-Djava.io.tmpdir=" + temporary)
                .start()
                .await(300);
        assertThat(ranks.code()).as("%s", ranks).isZero();
        assertThat(ranks.out().strip()).isEqualTo(SUM);
    }

    /// Compares with a second build of the same sources: the current one.
    private static void isTheSameFromAnotherBuild(Path deployed) throws IOException {
        Path own = Checkout.CLASS_PATH.stream()
                .map(Path::of)
                .filter(p -> p.getFileName().toString().startsWith("tutti-mpi-"))
                .findFirst()
                .orElseThrow();
        Path jar;
        try (Stream<Path> files = Files.list(deployed)) {
            jar = files.filter(f -> f.toString().matches(".*tutti-mpi-[\\d.-]+(SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(Files.mismatch(own, jar)).as("%s and %s differ at", own, jar).isEqualTo(-1);
    }

    private static ProcessOutcome maven(String... arguments) throws Exception {
        return maven(List.of(), arguments);
    }

    private static ProcessOutcome maven(List<String> first, String... arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of("./mvnw", "-B"));
        line.addAll(first);
        line.addAll(Arrays.asList(arguments));
        ProcessOutcome ended = Command.of(line).in(SOURCE).start().await(900);
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended;
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> !f.getFileName().toString().startsWith("maven-metadata"))
                    .map(f -> f.getFileName().toString())
                    .filter(f -> !f.startsWith("resolver-status"))
                    .toList();
        }
    }

    private static List<String> modulesOfBom() throws IOException {
        List<String> modules = new ArrayList<>();
        String managed = Files.readString(Checkout.module("tutti-bom").resolve("pom.xml"))
                .split("<dependencyManagement>")[1];
        Matcher artifact =
                Pattern.compile("<artifactId>(tutti[a-z-]*)</artifactId>").matcher(managed);
        while (artifact.find()) modules.add(artifact.group(1));
        return modules;
    }

    private static String version() throws IOException {
        return first(Checkout.module("tutti-bom"), "<version>(.+)</version>");
    }

    private static String property(String name) throws IOException {
        return first(Checkout.ROOT, "<" + Pattern.quote(name) + ">(.+)</" + Pattern.quote(name) + ">");
    }

    private static String first(Path folder, String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(Files.readString(folder.resolve("pom.xml")));
        assertThat(found.find()).as("%s in the pom of %s", pattern, folder).isTrue();
        return found.group(1);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) throws IOException {
                if (BUILT.contains(dir.getFileName().toString())) return FileVisitResult.SKIP_SUBTREE;
                Files.createDirectories(to.resolve(from.relativize(dir)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
