package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.job.environment.Host;

/// A process must not become rank 0 of 1 by accident. If launcher, library and environment do not match, each
/// process would otherwise run as a separate world, compute wrong results and exit with code 0.
class SingletonTest extends JobTest {
    /// Runs `java programs.RankPrinter hello` under the library's launcher, with `variables` for all ranks.
    private static ProcessOutcome direct(Way launcher, String... variables) throws Exception {
        launcher.require();
        List<String> line = new ArrayList<>(List.of(launcher.launcher(), "-n", "2", "env"));
        line.addAll(List.of(variables));
        return run(line);
    }

    private static ProcessOutcome withoutLauncher(String... variables) throws Exception {
        List<String> line = new ArrayList<>(List.of("env"));
        line.addAll(List.of(variables));
        return run(line);
    }

    private static ProcessOutcome run(List<String> line) throws Exception {
        line.addAll(List.of(Checkout.java(), "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-cp"));
        line.add(Checkout.classPathText() + ":" + Checkout.PROGRAMS);
        line.addAll(List.of("programs.RankPrinter", "hello"));
        // files of an Open MPI that is aborted without mpirun remain in TMPDIR, which the test does not check.
        // Processes that create the first directory at the same time can fail, so the test creates the
        // directory
        Path tmp = Checkout.scratch("tmp");
        Files.createDirectories(tmp.resolve("ompi." + Host.name() + "." + Files.getAttribute(tmp, "unix:uid")));
        return Command.of(line).env("TMPDIR", tmp.toString()).run();
    }

    private static void assertFatal(ProcessOutcome outcome, String... texts) {
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.out()).as("%s", outcome).doesNotContain("rank 0 of 1");
        assertThat(outcome.err()).as("%s", outcome).contains(texts);
    }

    private static Way other(Way launcher) {
        return launcher == Way.OPEN_MPI ? Way.MPICH : Way.OPEN_MPI;
    }

    private static void assertDifferentLibraries(ProcessOutcome outcome, Way launcher) {
        if (launcher == Way.OPEN_MPI) {
            assertFatal(
                    outcome,
                    "init: the launcher and the library belong to different MPIs: Open MPI's mpirun started 2 ranks"
                            + " (OMPI_COMM_WORLD_RANK=",
                    ", OMPI_COMM_WORLD_SIZE=2), but MPICH Version: ",
                    "/libmpi",
                    ") sees rank 0 of 1; use Open MPI's library (TUTTI_LIBMPI=openmpi), or start with the mpirun of");
        } else {
            assertFatal(
                    outcome,
                    "init: the launcher and the library belong to different MPIs: MPICH's mpiexec started 2 ranks"
                            + " (PMI_RANK=",
                    ", PMI_SIZE=2), but Open MPI v",
                    "/libmpi.so",
                    ") sees rank 0 of 1; use MPICH's library (TUTTI_LIBMPI=mpich), or start with the mpirun of this");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"OPEN_MPI", "MPICH"})
    @Tag("ci")
    void launcherOfOtherLibraryIsFatal(Way launcher) throws Exception {
        other(launcher).require();
        String library = other(launcher).options().getLast();
        assertDifferentLibraries(direct(launcher, "TUTTI_LIBMPI=" + library), launcher);
    }

    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void launcherOfOtherLibraryFileIsFatal(Way launcher) throws Exception {
        other(launcher).require();
        String file = file(launcher == Way.OPEN_MPI ? "libmpich.so.12" : "libmpi.so.40");
        Way.need(file != null, "the loader's cache has no file of " + other(launcher));
        assertDifferentLibraries(direct(launcher, "TUTTI_LIBMPI=" + file), launcher);
    }

    private static String file(String name) throws IOException, InterruptedException {
        Process ldconfig = new ProcessBuilder("sh", "-c", "PATH=$PATH:/sbin:/usr/sbin ldconfig -p").start();
        String cache = new String(ldconfig.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        ldconfig.waitFor();
        return cache.lines()
                .filter(line -> line.strip().startsWith(name + " "))
                .map(line -> line.substring(line.indexOf("=> ") + 3))
                .findFirst()
                .orElse(null);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void staleTorchrunVariablesUnderALauncherAreFatal(Way launcher) throws Exception {
        assertFatal(
                direct(launcher, "RANK=0", "WORLD_SIZE=4"),
                "init: RANK=0, WORLD_SIZE=4 (set by torchrun, or left over in the shell) contradict",
                "unset RANK and WORLD_SIZE");
    }

    @Test
    void variablesOfTorchrunWithoutALauncherAreFatal() throws Exception {
        assertFatal(
                withoutLauncher("RANK=1", "WORLD_SIZE=4"),
                "init: RANK=1, WORLD_SIZE=4",
                "no launcher known to Tutti",
                "unset RANK and WORLD_SIZE");
    }

    @Test
    void plainJavaInAllocationShellIsOneRank() throws Exception {
        ProcessOutcome outcome = withoutLauncher(
                "SLURM_JOB_ID=12", "SLURM_NTASKS=2", "SLURM_PROCID=0", "SLURM_TASKS_PER_NODE=2", "RANK=3");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("rank 0 of 1\n");
    }

    /// A Slurm task without PMI information about the other ranks.
    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void unsupportedPmiIsFatal(Way library) throws Exception {
        library.require();
        ProcessOutcome outcome = withoutLauncher(
                "TUTTI_LIBMPI=" + library.options().getLast(),
                "SLURM_STEP_ID=0",
                "SLURM_PROCID=0",
                "SLURM_STEP_NUM_TASKS=2");
        assertFatal(
                outcome,
                "init: the library does not speak the PMI of srun: srun started 2 ranks (SLURM_STEP_ID=0,"
                        + " SLURM_PROCID=0, SLURM_STEP_NUM_TASKS=2)",
                library == Way.OPEN_MPI ? "Open MPI v" : "MPICH Version: ",
                library == Way.OPEN_MPI ? "start with srun --mpi=pmix" : "start with srun --mpi=pmi2");
    }

    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void longWaitInInitIsReported(Way way) throws Exception {
        Path start = Checkout.scratch("delayed").resolve("start");
        Child job = Command.program(way, 2, List.of(), "DelayedStart", "1", start.toString())
                .start();
        job.awaitErr("TUTTI_JAVA_RANKS=0,2-3");
        Files.createFile(start);
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut()).as("%s", outcome).containsExactly("rank 0 is ready", "rank 1 is ready");
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("tutti: init: rank 0 of 2 (host ")
                .contains(" has waited since ")
                .contains(", for 10 s, in MPI_")
                .contains("a rank has not called Mpi.init, is delayed, or has ended")
                .contains("TUTTI_JAVA_RANKS=0,2-3");
    }
}
