package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// Applications that start workers themselves, without `tutti run`.
class ApplicationTest extends JobTest {
    private static final String USED = "[0, 1, 4, 9, 16]\nPoint[x=101, y=2]\n";

    /// The packagings that have been built, with the command.
    private static final Map<PackagedApplication, List<String>> BUILT = new EnumMap<>(PackagedApplication.class);

    private static List<String> command(PackagedApplication packaging, String... arguments) throws IOException {
        List<String> known = BUILT.get(packaging);
        if (known == null) {
            Path where = Checkout.scratch("packaged");
            known = new ArrayList<>(List.of(packaging.java(where), "-XX:-UsePerfData", Command.RANKS_FLAG));
            known.addAll(packaging.build(where));
            BUILT.put(packaging, known);
        }
        List<String> line = new ArrayList<>(known);
        line.addAll(List.of(arguments));
        return line;
    }

    private static ProcessOutcome run(PackagedApplication packaging, String... arguments) throws Exception {
        return Command.of(command(packaging, arguments)).run();
    }

    @Test
    void processesServePlainApplication() throws Exception {
        isServedByProcesses(PackagedApplication.PLAIN);
    }

    /// A worker without native access could not wake an application that sleeps with native access.
    @Test
    void workersHaveNativeAccessInTheFirstPoolToo() throws Exception {
        ProcessOutcome outcome = run(PackagedApplication.PLAIN, "platform");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("null\n");
    }

    /// If a worker does not start, the pool breaks; if a worker dies later, the pool continues.
    @Test
    void workerThatDoesNotStartBreaksThePool() throws Exception {
        ProcessOutcome outcome = run(PackagedApplication.PLAIN, "unready");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out())
                .endsWith("processes: rank 1 ended with exit code 1 before it was ready; its output contains the"
                        + " reason\n");
        assertThat(outcome.out() + outcome.err()).contains("missing.jar").doesNotContain("the pool continues");
    }

    @Test
    void processesServeModularApplication() throws Exception {
        isServedByProcesses(PackagedApplication.MODULE_PATH);
    }

    @Test
    void modularApplicationSpawnsRanks() throws Exception {
        spawnsRanks(PackagedApplication.MODULE_PATH);
    }

    @Test
    @Tag("ci")
    void imageSpawnsRanks() throws Exception {
        spawnsRanks(PackagedApplication.IMAGE);
    }

    private static void spawnsRanks(PackagedApplication packaging) throws Exception {
        ProcessOutcome outcome = run(packaging, "spawn");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("2 ranks\n2 ranks\n");
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    /// In ranks, the modules of an application are on the class path, where `requires` has no effect.
    @Test
    @Tag("ci")
    void ranksOfModularApplicationHaveItsIncubatorModules() throws Exception {
        List<String> line = new ArrayList<>(List.of(Checkout.java(), "-XX:-UsePerfData", Command.RANKS_FLAG));
        line.addAll(PackagedApplication.incubator());
        ProcessOutcome outcome = Command.of(line).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("8 lanes\n");
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"PLAIN", "MODULE_PATH"})
    @Tag("ci")
    void processesServePackagedApplication(PackagedApplication packaging) throws Exception {
        isServedByProcesses(packaging);
    }

    private static void isServedByProcesses(PackagedApplication packaging) throws Exception {
        ProcessOutcome outcome = run(packaging, "processes");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo(USED + "WorkerLostException, 1 is left\n" + USED);
        assertThat(outcome.err())
                .as("%s", outcome)
                .matches("tutti: rank [12] ended with exit code 7; the pool continues without it\n");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    void threadsServePackagedApplication(PackagedApplication packaging) throws Exception {
        ProcessOutcome outcome = run(packaging, "threads");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo(USED);
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    void librarysLauncherStartsPackagedApplication(PackagedApplication packaging) throws Exception {
        ProcessOutcome outcome = byLibrary(command(packaging, "ranks"));
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo("2 ranks\n");
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    private static ProcessOutcome byLibrary(List<String> command) throws Exception {
        Way.OPEN_MPI.require();
        List<String> line = new ArrayList<>(List.of(Way.OPEN_MPI.launcher(), "-n", "2", "--oversubscribe"));
        line.addAll(List.of("env", "TUTTI_LIBMPI=" + Way.OPEN_MPI.library()));
        line.addAll(command);
        return Command.of(line)
                .env("TMPDIR", Checkout.scratch("tmp").toString())
                .run();
    }

    @Test
    @Tag("ci")
    void bootJarRunsUnextractedUnderTutti() throws Exception {
        String jar = command(PackagedApplication.BOOT_JAR).getLast();
        ProcessOutcome outcome = Command.tutti("run", "-n", "3", "--pool", "--jvm", Command.RANKS_FLAG, jar, "pool")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo(USED);
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    @Test
    void killedApplicationLeavesNoWorker() throws Exception {
        Child child = Command.of(command(PackagedApplication.PLAIN, "wait")).start();
        Map<Integer, Long> pids = child.awaitReady(3);
        Processes.signal("INT", pids.get(1)); // like Ctrl-C in a terminal, after which the application decides
        Thread.sleep(200); // a worker that does not ignore the signal would be reported
        Processes.signal("KILL", pids.get(0));
        ProcessOutcome outcome = child.await();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    @Tag("ci")
    void killedApplicationWithoutNativeAccessLeavesNoWorker() throws Exception {
        List<String> line = new ArrayList<>(command(PackagedApplication.PLAIN, "wait"));
        line.remove(PackagedApplication.NATIVE_ACCESS);
        Child child = Command.of(line).start();
        Map<Integer, Long> pids = child.awaitReady(3);
        Processes.signal("KILL", pids.get(0));
        ProcessOutcome outcome = child.await();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    @Tag("ci")
    void bootJarWithoutLoaderOfOtherClassesIsToBeExtracted() throws Exception {
        Path jar = Checkout.scratch("packaged").resolve("boot.jar");
        PackagedApplication.bootJar(jar, name -> !name.contains("PropertiesLauncher"));
        assertThat(Command.here("run", "-n", "2", "--pool", jar.toString()).err())
                .contains(jar + " has no org.springframework.boot.loader.launch.PropertiesLauncher")
                .contains("extract the jar (java -Djarmode=tools -jar " + jar + " extract)");
        ProcessOutcome outcome =
                Command.of(Checkout.java(), "-jar", jar.toString(), "processes").run();
        assertThat(outcome.err()).as("%s", outcome).contains("processes: " + jar + " has no org.springframework");
    }

    @Test
    @Tag("ci")
    void imageWithoutCommandsCannotStartProcesses() throws Exception {
        List<String> line = new ArrayList<>(command(PackagedApplication.IMAGE, "processes"));
        Path java = Path.of(line.getFirst());
        Path renamed = Files.move(java, java.resolveSibling("demo"));
        line.set(0, renamed.toString());
        ProcessOutcome outcome;
        try {
            outcome = Command.of(line).run();
        } finally {
            Files.move(renamed, java); // other tests use the image
        }
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.err()).as("%s", outcome).contains("processes: no " + java + ", with which ranks could be");
    }

    @Test
    @Tag("ci")
    void jarWithoutLibrarysEngineNamesTheWayOut() throws Exception {
        Path where = Checkout.scratch("packaged"), jar = where.resolve("app.jar");
        Map<String, byte[]> all = new TreeMap<>();
        for (Path part : PackagedApplication.parts()) {
            if (!part.startsWith(Checkout.module("tutti-libmpi"))) {
                PackagedApplication.content(part).forEach(all::putIfAbsent);
            }
        }
        PackagedApplication.write(
                jar, PackagedApplication.manifest(Map.of("Main-Class", "demo.Application")), all, false);
        ProcessOutcome outcome = byLibrary(List.of(Checkout.java(), "-jar", jar.toString(), "ranks"));
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.err()).as("%s", outcome).contains("engine 'libmpi' was not found; present: [shm]; put");
        assertThat(outcome.err()).as("%s", outcome).contains("ServicesResourceTransformer");
    }
}
