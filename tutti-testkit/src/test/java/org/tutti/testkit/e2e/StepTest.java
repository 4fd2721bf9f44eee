package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Slurm;
import org.tutti.testkit.job.Way;

/// What Slurm starts without Tutti's launcher: a step's tasks are ranks, everything else is one process.
class StepTest {
    private static Slurm slurm;

    @BeforeAll
    static void start() {
        slurm = Slurm.start();
    }

    @AfterAll
    static void stop() {
        if (slurm != null) slurm.close();
    }

    /// `java programs.Tells hello` by this command line.
    private static Ended hello(String... line) throws InterruptedException {
        List<String> words = new ArrayList<>(List.of(line));
        words.addAll(List.of(Checkout.java(), "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-cp"));
        words.add(Checkout.classPathText() + ":" + Checkout.PROGRAMS);
        words.addAll(List.of("programs.Tells", "hello"));
        return Command.of(words).in(slurm).run();
    }

    /// MPICH's on one node: with Debian 12's Slurm and MPICH, also a C program never returns from `MPI_Finalize`
    /// on two.
    @ParameterizedTest
    @CsvSource({"pmix, 2, OPEN_MPI", "pmi2, 1, MPICH"})
    void itsTasksAreAWorldByThePmiOfTheLibraryThatIsFoundForIt(String pmi, String nodes, Way way) throws Exception {
        way.require();
        Ended ended = hello("srun", "-N", nodes, "-n", "3", "--mpi=" + pmi);
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).containsExactly("rank 0 of 3", "rank 1 of 3", "rank 2 of 3");
    }

    @ParameterizedTest
    @CsvSource({"none, OPEN_MPI", "none, MPICH", "pmi2, OPEN_MPI", "pmix, MPICH"})
    void aPmiThatTheLibraryDoesNotSpeakIsFatalAndNamesBoth(String pmi, Way way) throws Exception {
        way.require();
        String library = "TUTTI_LIBMPI=" + way.options().getLast();
        Ended ended = hello("srun", "-N", "2", "-n", "2", "--mpi=" + pmi, "env", library);
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.out()).as("%s", ended).isEmpty();
        assertThat(ended.err())
                .as("%s", ended)
                .contains("init: the library does not speak the PMI of srun: srun started 2 ranks (SLURM_STEP_ID=")
                .contains("SLURM_STEP_NUM_TASKS=2" + (pmi.equals("none") ? ")" : ", SLURM_MPI_TYPE=" + pmi + ")"))
                .contains(way == Way.OPEN_MPI ? "Open MPI v" : "MPICH Version: ")
                .contains(way == Way.OPEN_MPI ? "start with srun --mpi=pmix" : "start with srun --mpi=pmi2");
    }

    @Test
    void theCommandOfAnAllocationIsOneRank() throws Exception {
        Ended ended = hello("salloc", "-Q", "-n", "2");
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).isEqualTo("rank 0 of 1\n");
    }
}
