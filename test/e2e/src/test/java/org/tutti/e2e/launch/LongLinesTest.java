package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// If several ranks print long lines at the same time, the lines stay whole over every library, although mpirun
/// itself mixes long lines.
class LongLinesTest extends JobTest {
    private static final int RANKS = 3, LINES = 40;

    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            ci = {Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void linesOfSeveralRanksAreWhole(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome = Command.program(way, RANKS, List.of(), "RankPrinter", "longLines")
                .run();
        assertThat(outcome.code()).as("%s", outcome.err()).isZero();
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < LINES; i++) expected.add(1 + i * i * 131);
        for (int rank = 0; rank < RANKS; rank++) {
            String prefix = String.valueOf((char) ('a' + rank));
            List<Integer> lengths = outcome.out()
                    .lines()
                    .filter(line -> line.startsWith(prefix))
                    .peek(line -> assertThat(line.replace(prefix, "")).isEmpty())
                    .map(String::length)
                    .toList();
            assertThat(lengths).as("rank %d", rank).isEqualTo(expected);
        }
        assertThat(outcome.out().lines()).hasSize(RANKS * LINES);
    }
}
