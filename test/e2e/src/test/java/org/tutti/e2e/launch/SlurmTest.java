package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Slurm;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Slurm on two nodes: programs that `srun` starts, and `tutti run` inside an allocation.
@Tag("ci")
class SlurmTest extends JobTest {
    private static final List<String> ALLOCATION = List.of("salloc", "-Q", "-N2", "--ntasks-per-node=2");

    private static Slurm slurm;

    @BeforeAll
    static void startSlurm() {
        slurm = Slurm.start();
    }

    @AfterAll
    static void end() {
        if (slurm != null) slurm.close();
    }

    private static Stream<Arguments> interfaces() {
        return Stream.of(Arguments.of(Way.OPEN_MPI, "pmix"), Arguments.of(Way.MPICH, "pmi2"));
    }

    /// Returns the command of a user with the jars, but without a checkout.
    private static List<String> java(String... program) {
        List<String> arguments = new ArrayList<>(List.of(Checkout.java(), "-XX:-UsePerfData"));
        arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
        arguments.addAll(List.of("-cp", Checkout.classPathText() + ":" + Checkout.PROGRAMS));
        arguments.add("programs." + program[0]);
        arguments.addAll(List.of(program).subList(1, program.length));
        return arguments;
    }

    private static List<String> tutti(Way way, String... program) {
        List<String> arguments = new ArrayList<>(List.of(Checkout.java(), "-XX:-UsePerfData"));
        arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
        arguments.addAll(List.of("-cp", Checkout.classPathText(), "org.tutti.cli.Main", "run"));
        arguments.addAll(way.options());
        arguments.addAll(List.of("-cp", Checkout.PROGRAMS.toString(), "programs." + program[0]));
        arguments.addAll(List.of(program).subList(1, program.length));
        return arguments;
    }

    private static Command command(List<String> before, List<String> arguments) {
        return Command.of(Stream.concat(before.stream(), arguments.stream()).toList())
                .in(slurm);
    }

    private static void assertFourOnTwo(ProcessOutcome outcome) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut().stream().map(line -> line.replaceFirst(", in .*", "")))
                .as("%s", outcome)
                .containsExactly(
                        "rank 0 of 4: on a, local 0 of 2, sum 6",
                        "rank 1 of 4: on a, local 1 of 2, sum 6",
                        "rank 2 of 4: on b, local 0 of 2, sum 6",
                        "rank 3 of 4: on b, local 1 of 2, sum 6");
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    void javaUnderSrunIsOneWorld(Way way) throws Exception {
        way.require();
        List<String> srun =
                List.of("srun", "--mpi=" + (way == Way.OPEN_MPI ? "pmix" : "pmi2"), "-N2", "--ntasks-per-node=1");
        ProcessOutcome outcome = command(srun, java("RankPrinter", "where"))
                .env("TUTTI_LIBMPI", way.library())
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut())
                .as("%s", outcome)
                .containsExactly("rank 0 of 2: on a, local 0 of 1", "rank 1 of 2: on b, local 0 of 1");
    }

    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    void tuttiRunUsesAllocation(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome =
                command(ALLOCATION, tutti(way, "RankPrinter", "place")).run();
        assertFourOnTwo(outcome);
    }

    @Test
    @Tag("full")
    void batchScriptRunsOnAllNodes() throws Exception {
        Way.OPEN_MPI.require();
        Path directory = Checkout.scratch("sbatch");
        StringBuilder line = new StringBuilder();
        for (String argument : tutti(Way.OPEN_MPI, "RankPrinter", "place"))
            line.append('\'').append(argument).append("' ");
        Path script = Files.writeString(
                directory.resolve("job.sh"),
                "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=2\n" + line + "\necho \"code $?\"\n");
        Path output = Files.createFile(directory.resolve("output"));
        // sbatch --wait polls at growing intervals; polling the file is faster
        String submit =
                "sbatch -Q --output=\"$1\" \"$0\" && until grep -q ^code \"$1\"; do sleep 0.1; done; cat \"$1\"";
        ProcessOutcome outcome = Command.of("sh", "-c", submit, script.toString(), output.toString())
                .in(slurm)
                .run();
        assertThat(outcome.out()).as("%s", outcome).endsWith("code 0\n");
        String ranks = outcome.out().replaceFirst("code 0\n$", "");
        assertFourOnTwo(new ProcessOutcome(outcome.command(), outcome.code(), ranks, outcome.err()));
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("interfaces")
    void failureInAllocationIsReported(Way way, String pmi) throws Exception {
        way.require();
        ProcessOutcome outcome =
                command(ALLOCATION, tutti(way, "Failures", "exit", "7")).run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 2 failed first: ")
                .contains(" on b)");
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("interfaces")
    void wrongPmiIsReportedWithCorrectOne(Way way, String pmi) throws Exception {
        way.require();
        for (String wrong : List.of(pmi.equals("pmix") ? "pmi2" : "pmix", "none")) {
            List<String> srun = List.of("srun", "--mpi=" + wrong, "-n2", "--kill-on-bad-exit=1");
            ProcessOutcome outcome = command(srun, java("RankPrinter", "where"))
                    .env("TUTTI_LIBMPI", way.library())
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isNotZero();
            assertThat(outcome.out()).as("%s", outcome).isEmpty();
            assertThat(outcome.err())
                    .as("%s", outcome)
                    .contains("init: the library does not speak the PMI of srun: srun started 2 ranks (SLURM_STEP_ID=")
                    .contains(
                            "SLURM_STEP_NUM_TASKS=2" + (wrong.equals("none") ? ")" : ", SLURM_MPI_TYPE=" + wrong + ")"))
                    .contains(way == Way.OPEN_MPI ? "Open MPI v" : "MPICH Version: ")
                    .contains("start with srun --mpi=" + pmi);
        }
    }

    @Test
    @Tag("full")
    void programInAllocationShellIsOneRank() throws Exception {
        ProcessOutcome outcome =
                command(ALLOCATION, java("RankPrinter", "hello")).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("rank 0 of 1\n");
    }
}
