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
import org.tutti.e2e.job.LocalRepository;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// A release is deployed to a folder, and a user's project is built, tested and run with it. The release is
/// built in a copy of the checkout, because this test runs inside a build.
@Tag("full")
class ReleaseTest extends JobTest {
    /// Directories that a copy of the checkout omits.
    private static final Set<String> BUILT = Set.of("target", ".git");

    /// The group id as a path of a Maven repository.
    private static final String GROUP = "org/tutti";

    private static final Path WHERE = Checkout.scratch("release");
    private static final Path SOURCE = WHERE.resolve("source");
    private static final Path REPOSITORY = WHERE.resolve("repository");

    /// The directory of the two projects.
    private static final Path PROJECTS = WHERE.resolve("projects");

    private static final String SUM = "the ranks of 4 add up to 6";

    @BeforeAll
    static void deploy() throws Exception {
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        copy(Checkout.ROOT, SOURCE);
        copy(Checkout.module("tutti-e2e").resolve("src/test/projects"), PROJECTS);
        deploy(SOURCE, REPOSITORY);
    }

    private static void deploy(Path source, Path repository, String... options) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "-q",
                "-Prelease",
                "deploy",
                "-Dmaven.test.skip=true",
                "-Dspotless.check.skip=true",
                "-Dmaven.install.skip=true",
                "-Dgpg.skip",
                "-Dtutti.repository=" + repository.toUri()));
        line.addAll(Arrays.asList(options));
        maven(source, line);
    }

    @Test
    void everyModuleIsDeployed() throws Exception {
        String version = version();
        Path tutti = REPOSITORY.resolve(GROUP);
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
        List<String> from = project(project, REPOSITORY, WHERE.resolve("m2"));
        ProcessOutcome tests = maven(SOURCE, from, "test");
        assertThat(tests.out()).contains("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0");
        assertThat(files(WHERE.resolve("m2").resolve(GROUP))).contains("tutti", "tutti-mpi", "tutti-junit");
        String java = Checkout.java();
        ProcessOutcome ranks = maven(
                SOURCE,
                from,
                "-q",
                "exec:exec",
                "-Dexec.executable=" + java,
                "-Dexec.args=--enable-native-access=ALL-UNNAMED -cp %classpath org.tutti.cli.Main run -n 4 -cp "
                        + project.resolve("target/classes") + " SumOfRanks");
        assertThat(ranks.out().strip()).isEqualTo(SUM);
    }

    /// Returns Maven's options for a project that uses the deployed version of Tutti.
    private static List<String> project(Path project, Path repository, Path local) throws IOException {
        return List.of(
                "-f",
                project.resolve("pom.xml").toString(),
                "-Drepository=" + repository.toUri(),
                "-Dversion.of.tutti=" + version(),
                "-Dversion.of.junit=" + property("junit.version"),
                "-Dmaven.repo.local=" + local,
                "-Dmaven.repo.local.tail=" + LocalRepository.withoutTutti(WHERE.resolve("local")));
    }

    /// The local repository contains the third-party dependencies.
    @Test
    void aProjectOfGradleIsBuiltAndRun() throws Exception {
        Way.need(Way.isOnPath("gradle"), "gradle is not installed");
        Path temporary = Files.createDirectories(WHERE.resolve("temporary")); // a link remains in this directory
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

    @Test
    void aTreeWithAnotherGroupIsDeployedAndUsed() throws Exception {
        Path renamed = WHERE.resolve("renamed"), repository = WHERE.resolve("renamed-repository");
        copy(Checkout.ROOT, renamed);
        ProcessOutcome group = group(renamed, "io.github.example-1");
        assertThat(group.code()).as("%s", group).isZero();
        String old = GROUP.replace('/', '.');
        Pattern coordinates =
                Pattern.compile("(?<![\\w.])" + Pattern.quote(old) + "(:(?!:)|</(groupId|excludeGroupIds)>)");
        try (Stream<Path> walk = Files.walk(renamed)) {
            for (Path file : walk.filter(ReleaseTest::isText).toList())
                assertThat(Files.readString(file)).as("%s", file).doesNotContainPattern(coordinates);
        }
        deploy(renamed, repository, "-pl", ":tutti,:tutti-junit,:tutti-bom", "-am");
        assertThat(files(repository)).containsExactly("io");
        assertThat(files(repository.resolve("io/github/example-1"))).contains("tutti", "tutti-junit", "tutti-bom");

        Path project = renamed.resolve(Checkout.ROOT.relativize(Checkout.module("tutti-e2e")))
                .resolve("src/test/projects/maven");
        ProcessOutcome tests = maven(renamed, project(project, repository, WHERE.resolve("renamed-m2")), "test");
        assertThat(tests.out()).contains("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0");
    }

    @Test
    void aGroupThatMavenCentralWouldRejectChangesNoFile() throws Exception {
        Path bom = SOURCE.resolve(
                Checkout.ROOT.relativize(Checkout.module("tutti-bom")).resolve("pom.xml"));
        String before = Files.readString(bom);
        for (String name : List.of("", "tutti", "Org.tutti", "org..tutti", "org.tutti/mpi", "org.tutti mpi", "org.")) {
            ProcessOutcome rejected = group(SOURCE, name);
            assertThat(rejected.code()).as(name).isEqualTo(2);
            assertThat(rejected.err()).contains("usage: .ci/group GROUP").contains(name);
        }
        assertThat(bom).hasContent(before);
    }

    private static ProcessOutcome group(Path tree, String name) throws Exception {
        return Command.of(".ci/group", name).in(tree).start().await(60);
    }

    private static boolean isText(Path file) {
        return file.toString().matches(".*\\.(xml|java|kt|md|gradle|sh|tsv|yml|json)");
    }

    /// Checks that the jar equals the jar of this build, which has the same sources.
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

    private static ProcessOutcome maven(Path source, List<String> first, String... arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of("./mvnw", "-B"));
        line.addAll(first);
        line.addAll(Arrays.asList(arguments));
        ProcessOutcome ended = Command.of(line).in(source).start().await(900);
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
