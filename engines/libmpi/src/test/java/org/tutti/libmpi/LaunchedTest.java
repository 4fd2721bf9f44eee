package org.tutti.libmpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.mpi.Mpi;
import org.tutti.spi.Fault;

/// Start, waits and end of the engine under the launchers of the installed libraries. [WholeEngineTest] tests
/// everything in between.
@Tag("ci")
class LaunchedTest {
    /// The time limit of a job. Only a test that hangs reaches it.
    private static final int LIMIT_SECONDS = 600;

    /// A launcher, with options to run as root and to start more ranks than cores.
    enum Launcher {
        OPEN_MPI("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"),
        MPICH("mpiexec.hydra");

        final List<String> command;

        Launcher(String... command) {
            this.command = List.of(command);
        }
    }

    /// By default a test runs with one launcher, with `-Pfull` with both.
    static Stream<Launcher> openMpi() {
        return Boolean.getBoolean("tutti.full") ? Stream.of(Launcher.values()) : Stream.of(Launcher.OPEN_MPI);
    }

    static Stream<Launcher> mpich() {
        return Boolean.getBoolean("tutti.full") ? Stream.of(Launcher.values()) : Stream.of(Launcher.MPICH);
    }

    record Outcome(int code, String output) {}

    @ParameterizedTest
    @MethodSource("mpich")
    void blamesTheCallWhichOperationThrew(Launcher launcher) throws Exception {
        Outcome o = run(launcher, 2, Map.of(), "many-throwers");
        assertThat(o.output).contains("threw where it should");
    }

    @ParameterizedTest
    @MethodSource("openMpi")
    void aRankThatExitsInTheMiddleStopsTheJob(Launcher launcher) throws Exception {
        assertThat(run(launcher, 2, Map.of(), "exit-0").code).isNotZero();
        assertThat(run(launcher, 2, Map.of(), "exit-3").code).isNotZero();
    }

    @ParameterizedTest
    @MethodSource("mpich")
    void aRankThatThrowsStopsTheJob(Launcher launcher) throws Exception {
        Outcome o = run(launcher, 2, Map.of(), "throw");
        assertThat(o.code).isEqualTo(1);
        assertThat(o.output).contains("IllegalStateException: on purpose");
    }

    @ParameterizedTest
    @MethodSource("openMpi")
    void reportsTheExceptionOfAUsersOperation(Launcher launcher) throws Exception {
        Outcome o = run(launcher, 2, Map.of(), "thrower");
        assertThat(o.output)
                .contains("allreduce: operation thrower threw java.lang.IllegalStateException: on purpose (rank ");
    }

    @ParameterizedTest
    @MethodSource("openMpi")
    void refusesALibraryOfADifferentLauncher(Launcher launcher) throws Exception {
        for (Launcher each : Launcher.values()) assumeInstalled(each);
        boolean openMpi = launcher == Launcher.OPEN_MPI;
        Outcome o = run(launcher, 2, Map.of(RankEnvironment.LIBMPI, openMpi ? "mpich" : "openmpi"));
        assertThat(o.code).isNotZero();
        assertThat(o.output)
                .contains("init: the launcher and the library belong to different MPIs: "
                        + (openMpi
                                ? "Open MPI's mpirun started 2 ranks (OMPI_COMM_WORLD_RANK="
                                : "MPICH's mpiexec started 2 ranks (PMI_RANK="))
                .contains(openMpi ? "), but MPICH Version: " : "), but Open MPI v")
                .contains("TUTTI_LIBMPI=" + (openMpi ? "openmpi" : "mpich"));
    }

    /// With more ranks than cores, every waiting thread releases the core; otherwise every thread does, except
    /// the thread that called `Mpi.init`. The two jobs run in parallel, because the threads sleep.
    @ParameterizedTest
    @MethodSource("mpich")
    @Tag("full")
    void aWaitingThreadReleasesItsCore(Launcher launcher) throws Exception {
        assumeInstalled(launcher);
        int many = Runtime.getRuntime().availableProcessors() + 1;
        FutureTask<Outcome> crowded = new FutureTask<>(() -> run(launcher, many, Map.of(), "idle"));
        Thread.ofPlatform().start(crowded);
        idles(run(launcher, 2, Map.of(), "idle-thread"));
        idles(crowded.get());
    }

    @ParameterizedTest
    @MethodSource("openMpi")
    void aLateThreadCanEnterTheLibrary(Launcher launcher) throws Exception {
        for (int ranks = 1; ranks <= 2; ranks++)
            assertThat(run(launcher, ranks, Map.of(), "late").code).isZero();
    }

    private static void idles(Outcome o) {
        Matcher share = Pattern.compile("used ([0-9.]+) % of a core").matcher(o.output);
        assertThat(share.find()).as(o.output).isTrue();
        do {
            assertThat(Double.parseDouble(share.group(1))).isLessThan(5);
        } while (share.find());
    }

    @Test
    void reportsEveryTriedLibraryWithTheReason() throws Exception {
        Outcome o = run(java(Smoke.class), Map.of(RankEnvironment.LIBMPI, "/nowhere/libmpi.so"));
        assertThat(o.code).isEqualTo(1);
        assertThat(o.output)
                .contains("init: no MPI library could be loaded for '/nowhere/libmpi.so'; tried")
                .contains("/nowhere/libmpi.so: cannot open shared object file: No such file or directory")
                .contains("TUTTI_LIBMPI=/path/to/libmpi.so");
    }

    static Outcome run(Launcher launcher, int ranks, Map<String, String> environment, String... parts)
            throws Exception {
        assumeInstalled(launcher);
        List<String> command = new ArrayList<>(launcher.command);
        command.addAll(List.of("-n", String.valueOf(ranks)));
        return run(command, environment, parts);
    }

    private static Outcome run(List<String> launcher, Map<String, String> environment, String... parts)
            throws Exception {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(java(Smoke.class, parts));
        return run(command, environment);
    }

    /// Returns the command that runs a program of these tests.
    static List<String> java(Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1", // these processes run only for seconds
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                classPath(),
                program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    static Outcome run(List<String> command, Map<String, String> environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        File output = File.createTempFile("launched", ".txt");
        try {
            Process process = builder.redirectOutput(output).start();
            boolean exited = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            String text = Files.readString(output.toPath());
            assertThat(exited).as("ended within %s s: %s", LIMIT_SECONDS, text).isTrue();
            return new Outcome(process.exitValue(), text);
        } finally {
            Files.delete(output.toPath());
        }
    }

    /// The classes of these test programs, of the engine, and of the API.
    private static String classPath() throws Exception {
        Path test = Path.of(LaunchedTest.class.getResource("LaunchedTest.class").toURI());
        List<Path> parts = List.of(
                test.getParent().getParent().getParent().getParent(),
                location(LibmpiProvider.class),
                location(RankEnvironment.class),
                location(Fault.class),
                location(Mpi.class));
        return String.join(
                File.pathSeparator, parts.stream().map(Path::toString).toList());
    }

    private static Path location(Class<?> of) throws Exception {
        return Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    static void assumeInstalled(Launcher launcher) {
        String name = launcher.command.get(0);
        boolean installed = Pattern.compile(File.pathSeparator)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
        assumeTrue(installed, "skipped, because " + name + " is not installed");
    }
}
