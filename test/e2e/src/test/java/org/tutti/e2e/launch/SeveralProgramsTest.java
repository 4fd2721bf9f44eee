package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Several programs in one job, separated by `:`, and the rank variables in the environment, over every engine
/// and library.
class SeveralProgramsTest extends JobTest {
    private static final String PROGRAMS = Checkout.PROGRAMS.toString();

    private static ProcessOutcome run(Way way, String... arguments) throws Exception {
        way.require();
        List<String> line = new ArrayList<>(List.of("run"));
        line.addAll(way.options());
        line.addAll(List.of(arguments));
        return Command.tutti(line.toArray(new String[0])).run();
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void partsHaveSeparateArgumentsAndJvms(Way way) throws Exception {
        ProcessOutcome outcome = run(
                way,
                "-n",
                "1",
                "-cp",
                PROGRAMS,
                "--jvm",
                "-Da=first",
                "programs.RankPrinter",
                "property",
                "a",
                ":",
                "-n",
                "2",
                "-cp",
                PROGRAMS,
                "programs.RankPrinter",
                "arguments",
                "b c",
                "-n",
                ":",
                "-n",
                "1",
                "--jvm=-Da=third",
                "-cp",
                PROGRAMS,
                "programs.RankPrinter",
                "property",
                "a");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        assertThat(outcome.sortedOut())
                .containsExactly(
                        "rank 0 of 4: a=first",
                        "rank 1 of 4: [arguments, b c, -n]",
                        "rank 2 of 4: [arguments, b c, -n]",
                        "rank 3 of 4: a=third");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void failureNamesWorldRank(Way way) throws Exception {
        ProcessOutcome outcome = run(
                way,
                "-n",
                "2",
                "-cp",
                PROGRAMS,
                "programs.Failures",
                "exit",
                "3",
                ":",
                "-n",
                "1",
                "-cp",
                PROGRAMS,
                "programs.Failures",
                "exit",
                "7");
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
        assertThat(outcome.lastErrorLine()).startsWith("tutti: rank 2 failed first: ");
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("ci")
    void environmentContainsRankNumbers(Way way) throws Exception {
        ProcessOutcome outcome =
                Command.program(way, 3, List.of(), "RankPrinter", "names").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        for (int rank = 0; rank < 3; rank++) {
            assertThat(outcome.sortedOut().get(rank))
                    .isEqualTo("rank %1$d of 3: TUTTI %1$d of 3, on this machine %1$d of 3".formatted(rank));
        }
    }

    @Test
    void sourceFilesAndClassesMix() throws Exception {
        ProcessOutcome outcome = run(
                Way.SHM,
                "-n",
                "1",
                "examples/Hello.java",
                ":",
                "-n",
                "1",
                "-cp",
                PROGRAMS,
                "programs.RankPrinter",
                "hello");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).contains("I am process 0 of 2 on ").contains("rank 1 of 2\n");
    }
}
