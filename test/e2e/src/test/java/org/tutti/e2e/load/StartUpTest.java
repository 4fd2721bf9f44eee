package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// The number of classes that a JVM loads and generates before the first message of a rank. The limits detect
/// growth.
class StartUpTest extends JobTest {
    private static final int RANKS = 2;

    /// Classes that a rank's JVM generates at run time. Observed: 165 without a cache, 54 with one.
    private static final int MAX_GENERATED = 220;

    /// Classes of a hello program that are loaded from outside of the cache. Observed: 14.
    private static final int MAX_UNCACHED_OF_HELLO = 22, MAX_HELLO_RUNS = 6;

    /// Classes that a rank loads before the program, almost all from the cache. Observed: 2,143.
    private static final int MAX_BEFORE_MAIN = 2600;

    /// The number of these classes that are loaded from jars instead of the cache. Observed: 5.
    private static final int MAX_UNCACHED_BEFORE_MAIN = 20;

    /// Classes that the launcher loads until the job has ended. Observed: 3,351, including 1,200 of the
    /// compiler.
    private static final int MAX_OF_LAUNCHER = 4000;

    private static final String FROM_CACHE = "source: shared objects file";

    /// Parts of the names of generated classes. In the log, the source is the JVM or the class that uses the
    /// generated class.
    private static final List<String> GENERATED =
            List.of("$$TypeSwitch", "$$StringConcat", "LambdaForm$", "$$Lambda/", "BoundMethodHandle$Species_");

    @Test
    void firstMessageGeneratesFewClasses() throws Exception {
        Path logs = Files.createTempDirectory(scratch(), "classes");
        String log = "-Xlog:class+load:file=" + logs.resolve("%p.log");
        ProcessOutcome outcome = Command.program(Way.SHM, RANKS, List.of("--jvm", log), "FirstMessages")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        List<List<String>> generated = new ArrayList<>();
        for (Path file : filesIn(logs)) generated.add(generatedIn(file));
        assertThat(generated).hasSize(RANKS).allSatisfy(classes -> {
            assertThat(classes).filteredOn(c -> c.contains("StringConcat")).isEmpty();
            assertThat(classes)
                    .filteredOn(c -> c.contains("TypeSwitch") && c.contains("org.tutti."))
                    .isEmpty();
            assertThat(classes).hasSizeLessThan(MAX_GENERATED);
        });
    }

    @Test
    void rankLoadsFewClassesBeforeMain() throws Exception {
        assumeThat(Checkout.isPackaged())
                .as("jars, because the JVM does not cache classes in directories")
                .isTrue();
        Path logs = Files.createTempDirectory(scratch(), "classes");
        String log = "-Xlog:class+load:file=" + logs.resolve("%p.log");
        ProcessOutcome outcome = Command.program(Way.SHM, RANKS, List.of("--jvm", log), "FirstMessages")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        for (Path file : filesIn(logs)) {
            List<String> before = Files.readAllLines(file).stream()
                    .takeWhile(line -> !line.contains(" programs.FirstMessages "))
                    .toList();
            assertThat(before).hasSizeLessThan(MAX_BEFORE_MAIN);
            assertThat(before).filteredOn(line -> !line.contains(FROM_CACHE)).hasSizeLessThan(MAX_UNCACHED_BEFORE_MAIN);
        }
    }

    /// The program has an instance main and concatenates strings, like a typical first program.
    @Test
    @Tag("ci")
    void helloLoadsFewUncachedClasses() throws Exception {
        assumeThat(Checkout.isPackaged())
                .as("jars, because the JVM does not cache classes in directories")
                .isTrue();
        Path logs = Files.createTempDirectory(scratch(), "classes");
        String log = "-Xlog:class+load:file=" + logs.resolve("%p.log");
        List<String> arguments = List.of("run", "-n", "2", "--jvm", log, "examples/Hello.java");
        // the first run may create the cache; on a busy machine, a rank also links the functions for sleeping
        for (int i = 0; i < 2 || i < MAX_HELLO_RUNS && !areWithinLimit(logs); i++) {
            for (Path old : filesIn(logs)) Files.delete(old);
            ProcessOutcome outcome = Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
        }
        assertThat(filesIn(logs)).hasSize(RANKS).allSatisfy(file -> {
            List<String> uncached = uncachedClasses(file);
            assertThat(uncached).hasSizeLessThan(MAX_UNCACHED_OF_HELLO);
            assertThat(uncached)
                    .filteredOn(line -> line.contains("StringConcat") || line.contains("Comparator"))
                    .isEmpty();
        });
    }

    private static boolean areWithinLimit(Path logs) throws Exception {
        for (Path log : filesIn(logs)) {
            if (uncachedClasses(log).size() >= MAX_UNCACHED_OF_HELLO) return false;
        }
        return true;
    }

    private static List<String> uncachedClasses(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .filter(line -> !line.contains(FROM_CACHE))
                .toList();
    }

    private static List<Path> filesIn(Path directory) throws Exception {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            files.forEach(found::add);
        }
        return found;
    }

    @Test
    void versionOpensNoJar() throws Exception {
        assumeThat(Checkout.isPackaged())
                .as("jars, because the JVM does not cache classes in directories")
                .isTrue();
        assertThat(loadedByLauncher("--version"))
                .filteredOn(line -> line.contains(" source: file:"))
                .isEmpty();
    }

    @Test
    void launcherLoadsNoPicocliForValidLine() throws Exception {
        List<String> loaded = loadedByLauncher(
                Command.arguments(Way.SHM, RANKS, List.of(), "FirstMessages").toArray(String[]::new));
        assertThat(loaded).hasSizeLessThan(MAX_OF_LAUNCHER);
        assertThat(loaded).filteredOn(line -> line.contains(" picocli.")).isEmpty();
        assertThat(loaded)
                .filteredOn(line -> line.contains("$$TypeSwitch") && line.contains("org.tutti."))
                .isEmpty();
    }

    private static List<String> loadedByLauncher(String... arguments) throws Exception {
        Path log = Files.createTempFile(scratch(), "classes", ".log");
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Xlog:class+load:file=" + log);
        ProcessOutcome outcome = Command.launcher(flags, List.of(arguments)).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        return Files.readAllLines(log);
    }

    /// Creates the directory if no other test class has done so.
    private static Path scratch() throws Exception {
        return Files.createDirectories(Checkout.SCRATCH);
    }

    private static List<String> generatedIn(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .filter(line -> !line.contains(FROM_CACHE))
                .filter(line -> GENERATED.stream().anyMatch(line::contains))
                .toList();
    }
}
