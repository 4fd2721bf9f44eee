package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.document.Example;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Runs `./tutti`, and every command line of README.md and docs/running.md, in a copy that looks like a built
/// checkout. In the checkout itself, `./tutti` could start a build inside the build that runs this test.
///
/// By default the test skips commands that other tests run: the commands of examples (`ExampleTest`) and
/// `tutti bench` ([BenchCommandTest]).
///
/// The commands of the pages are changed in two ways: `tutti bench` gets `-m 8:8` and 2 ranks, because it would
/// otherwise run for minutes, and `mpirun` is replaced by the launcher name of each library.
class TuttiScriptTest extends JobTest {
    private static final List<String> PAGES = List.of("README.md", "docs/running.md");

    private static Path home;

    @BeforeAll
    static void copyCheckout() throws IOException {
        if (!Checkout.isPackaged()) return;
        home = likeACheckout();
        Files.writeString(home.resolve("tools/cli/target/built"), "");
        Path adapter = Path.of("train/train-torch/target");
        Files.createDirectories(home.resolve(adapter));
        Files.createSymbolicLink(
                home.resolve(adapter).resolve("lib"),
                Checkout.ROOT.resolve(adapter).resolve("lib"));
        Files.writeString(home.resolve(adapter).resolve("built"), "");
    }

    /// Returns a directory that contains the build outputs, without the marker file by which `./tutti` detects
    /// a complete build.
    private static Path likeACheckout() throws IOException {
        Path home = Checkout.scratch("home");
        Path lib = Files.createDirectories(home.resolve("tools/cli/target/lib"));
        try (Stream<Path> jars = Files.list(Checkout.folderOfCommand())) {
            for (Path jar : (Iterable<Path>) jars::iterator) {
                Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
            }
        }
        Files.createDirectories(home.resolve("tools/cli/src/main"));
        for (String name : List.of("tutti", "pom.xml", "examples", ".mvn", "tools/cli/pom.xml")) {
            Files.createSymbolicLink(home.resolve(name), Checkout.ROOT.resolve(name));
        }
        Files.delete(home.resolve("tutti")); // would lead back to the checkout
        Files.copy(Checkout.ROOT.resolve("tutti"), home.resolve("tutti"));
        return home;
    }

    private static void requirePackage() {
        Way.need(home != null, "Tutti is not packaged; ./mvnw verify does it");
    }

    /// A command of a page, and the indented lines up to the next command.
    record Line(String command, List<String> output) {
        @Override
        public String toString() {
            return command;
        }
    }

    private static List<String> pages() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String page : PAGES) lines.addAll(Files.readAllLines(Checkout.ROOT.resolve(page)));
        return lines;
    }

    private static Stream<Line> lines() throws IOException {
        List<Line> lines = new ArrayList<>();
        boolean fenced = false;
        for (String line : pages()) {
            if (line.startsWith("```")) fenced = !fenced;
            String text = line.strip();
            boolean block = fenced || line.startsWith("    ");
            if (!block && !text.isEmpty()) lines.add(new Line("", List.of()));
            if (!block) continue;
            if (text.matches("(\\./tutti|\\./mvnw|mpirun) .*")) lines.add(new Line(text, new ArrayList<>()));
            else if (!fenced && !lines.isEmpty() && !lines.getLast().command.isEmpty())
                lines.getLast().output.add(text);
        }
        return lines.stream()
                .filter(line -> !line.command.isEmpty())
                .filter(line -> !line.command.contains("[options]")) // a description of the syntax
                .filter(line -> !line.command.equals(Example.named("Deadlock").command())) // ReadmeTest
                .filter(line -> !line.command.startsWith("./mvnw")); // this build
    }

    @Test
    void readmeHasCommands() throws Exception {
        assertThat(lines().map(Line::command))
                .contains("./tutti run -n 4 examples/Hello.java", "./tutti run -n 4 examples/DigitsTraining.java");
    }

    private static Stream<Line> linesToRun() throws IOException {
        if (Tier.FULL) return lines();
        Set<String> ofExamples = Example.all().stream().map(Example::command).collect(Collectors.toSet());
        return lines().filter(line -> !ofExamples.contains(line.command) || showsOutput(line))
                .filter(line -> !line.command.startsWith("./tutti bench"));
    }

    /// Whether the page shows the output of the command.
    private static boolean showsOutput(Line line) {
        return line.command.matches(".*(Hello|Readme)\\.java")
                && !line.output.stream().allMatch(String::isBlank);
    }

    @ParameterizedTest
    @MethodSource("linesToRun")
    @Tag("ci")
    void readmeCommandRuns(Line line) throws Exception {
        requirePackage();
        if (line.command.startsWith("mpirun ")) {
            runUnderMpirun(line.command);
            return;
        }
        for (Way way : Way.natives()) {
            if (way.options().stream()
                    .skip(2)
                    .allMatch(word -> List.of(line.command.split(" ")).contains(word))) way.require();
        }
        boolean compare = line.command.startsWith("./tutti bench compare");
        boolean bench = !compare && line.command.startsWith("./tutti bench");
        String command = bench ? line.command.replace("-n 4", "-n 2") + " -m 8:8" : line.command;
        if (compare) command += " --tests latency --launches 1 --who shm";
        ProcessOutcome ended = Command.of("sh", "-c", command).in(home).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        // on a busy machine, and while launches are compared
        assertThat(ended.err().lines())
                .as("%s", ended)
                .allMatch(said -> said.startsWith("tutti: note: other processes use ")
                        || said.matches("tutti: launch \\d+ of \\d+"));
        assertThat(ended.out()).as("%s", ended).isNotBlank();
        if (showsOutput(line)) assertThat(general(ended.out().lines())).isEqualTo(general(line.output.stream()));
    }

    /// Returns the lines without text that depends on the machine or the run.
    private static List<String> general(Stream<String> lines) {
        return lines.filter(line -> !line.isBlank())
                .map(line -> line.replaceAll(" on \\S+\\.$", " on HOST.").replaceAll("\\{(.*), (.*)}", "{$2, $1}"))
                .map(line -> line.replace("{b=3.14, a=7}", "{a=7, b=3.14}"))
                .sorted()
                .toList();
    }

    private static void runUnderMpirun(String command) throws Exception {
        Path source = home.resolve("MyMain.java");
        Files.writeString(source, Files.readString(Checkout.ROOT.resolve("examples/Hello.java")));
        String javac = Path.of(Checkout.java()).resolveSibling("javac").toString();
        ProcessOutcome compiled = Command.of(javac, "-cp", Checkout.classPathText(), "-d", "classes", "MyMain.java")
                .in(home)
                .run();
        assertThat(compiled.code()).as("%s", compiled).isZero();
        String path = "PATH='" + Path.of(Checkout.java()).getParent() + "':\"$PATH\" ";
        for (Way way : Tier.FULL ? Way.natives() : List.of(Way.OPEN_MPI)) {
            way.require();
            ProcessOutcome ended = Command.of("sh", "-c", path + command.replaceFirst("mpirun", way.launcher()))
                    .in(home)
                    .run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out().lines().filter(line -> line.matches("Hello, World! I am process [0-3] of 4 on .*")))
                    .as("%s", ended)
                    .hasSize(4);
        }
    }

    @Test
    void tuttiRunsFromAnywhereThroughALink() throws Exception {
        requirePackage();
        Path link = Checkout.scratch("bin").resolve("my-tutti");
        Files.createSymbolicLink(link, home.resolve("tutti"));
        ProcessOutcome ended = Command.of(
                        link.toString(),
                        "run",
                        "--dry-run",
                        "-n",
                        "2",
                        "-cp",
                        Checkout.PROGRAMS.toString(),
                        "programs.RankPrinter")
                .in(Checkout.scratch("elsewhere"))
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).contains("programs.RankPrinter");
    }

    @Test
    void pathsAreShownWithoutDots() throws Exception {
        requirePackage();
        String run = " run --dry-run -n 1 -cp " + Checkout.PROGRAMS + " programs.RankPrinter";
        for (String tutti : List.of("./tutti", "examples/../tutti")) {
            ProcessOutcome ended = Command.of("sh", "-c", tutti + run).in(home).run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).contains("programs.RankPrinter").doesNotContain("/./", "/../");
        }
        ProcessOutcome listed =
                Command.of("sh", "-c", "./tutti examples").in(home).run();
        assertThat(listed.out()).contains("To run Hello: ./tutti run -n 4 examples/Hello.java\n");
    }

    @Test
    void tuttiPassesOnArgumentsAndExitCode() throws Exception {
        requirePackage();
        ProcessOutcome ended = Command.of(home.resolve("tutti").toString(), "run", "-n", "0", "Hello.java")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err()).isEqualTo("tutti: -n 0: a job has at least 1 rank\n");
    }

    @Test
    @Tag("full") // other tests also start the launcher from caches
    void launcherAndRanksStartFromCaches() throws Exception {
        requirePackage();
        Path checkout = likeACheckout(), cache = checkout.resolve("cache");
        Path maven = Files.writeString(checkout.resolve("mvnw"), "#!/bin/sh\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
        String program = Checkout.PROGRAMS + " programs.RankPrinter hello";
        ProcessOutcome ended = Command.of("sh", "-c", "./tutti run -n 2 -cp " + program)
                .in(checkout)
                .env("XDG_CACHE_HOME", cache.toString())
                .env("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + checkout + "/classes-%p.txt")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).containsExactly("rank 0 of 2", "rank 1 of 2");
        assertThat(checkout.resolve("tools/cli/target/run/1/tutti.aot")).exists();
        String loaded;
        try (Stream<Path> files = Files.list(checkout)) {
            List<String> lines = new ArrayList<>();
            for (Path file : (Iterable<Path>) files.filter(f -> f.toString().contains("/classes-"))::iterator) {
                lines.addAll(Files.readAllLines(file));
            }
            loaded = String.join("\n", lines);
        }
        assertThat(loaded)
                .containsPattern("org\\.tutti\\.cli\\.Main source: shared objects file")
                .containsPattern("org\\.tutti\\.launch\\.rank\\.RankMain source: shared objects file");
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void aClosedStdinIsAnEmptyOne(Way way) throws Exception {
        requirePackage();
        way.require();
        String program = Checkout.PROGRAMS + " programs.RankPrinter stdin";
        String line = "./tutti " + String.join(" ", way.run(2)) + " -cp " + program + " <&- & wait $!";
        ProcessOutcome ended = Command.of("sh", "-c", line).in(home).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).containsExactly("rank 0 of 2: ", "rank 1 of 2: ");
    }

    /// Starts `java` directly with `mpirun`, without Tutti's launcher.
    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SHM")
    void aLibrarysOwnLauncherIsEnough(Way way) throws Exception {
        way.require();
        ProcessOutcome ended = Command.of(
                        way.launcher(),
                        "-n",
                        "2",
                        Checkout.java(),
                        "-XX:-UsePerfData",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        Checkout.classPathText() + ":" + Checkout.PROGRAMS,
                        "programs.RankPrinter",
                        "hello")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).containsExactly("rank 0 of 2", "rank 1 of 2");
    }
}
