package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Jobs that the library's launcher starts directly, without Tutti's launcher: the ranks detect deadlocks and
/// different calls without the help of a launcher.
@Tag("ci")
class BareLauncherTest extends JobTest {
    private static ProcessOutcome run(Way launcher, int ranks, String... program) throws InterruptedException {
        launcher.require();
        String library = launcher == Way.OPEN_MPI ? "openmpi" : "mpich";
        List<String> line = new ArrayList<>(List.of(launcher.launcher(), "-n", Integer.toString(ranks)));
        if (launcher == Way.OPEN_MPI) line.add("--oversubscribe");
        line.addAll(List.of("env", "TUTTI_LIBMPI=" + library, Checkout.java(), "-XX:-UsePerfData"));
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        line.add(Checkout.classPathText() + ":" + Checkout.PROGRAMS);
        line.addAll(List.of(program));
        // files of an aborted Open MPI remain in TMPDIR, which the test does not check
        return Command.of(line)
                .env("TMPDIR", Checkout.scratch("tmp").toString())
                .run();
    }

    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    void deadlockIsReportedAndStopsJob(Way launcher) throws Exception {
        ProcessOutcome outcome = run(launcher, 2, "programs.TwelveBugs", "dead");
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.out() + outcome.err())
                .as("%s", outcome)
                .containsPattern("tutti: deadlock: 0 recv←1 \\(TwelveBugs\\.java:\\d+\\) → 1 recv←0"
                        + " \\(TwelveBugs\\.java:\\d+\\) → 0");
    }

    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void callsAreCompared(Way launcher) throws Exception {
        ProcessOutcome outcome = run(launcher, 2, "programs.TwelveBugs", "op");
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.out() + outcome.err())
                .as("%s", outcome)
                .contains("does not match: rank ")
                .contains("allreduce(4 INT, SUM) at TwelveBugs.java:")
                .contains("allreduce(4 INT, MAX) at TwelveBugs.java:");
    }
}
