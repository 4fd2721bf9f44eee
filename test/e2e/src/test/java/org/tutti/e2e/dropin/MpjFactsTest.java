package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// The behavior of the API of MPJ Express on every engine and number of ranks. One job tests all facts.
@Tag("ci")
class MpjFactsTest extends JobTest {
    private static final int FACTS = 64;

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI})
    void factsHold(Way way) throws Exception {
        for (int ranks : Tier.FULL ? List.of(1, 2, 3, 4) : List.of(way.isNative() ? 2 : 3)) {
            ProcessOutcome ended = DropInPrograms.MPJ.run(way, ranks, "MpjFacts", "facts", "7");
            assertThat(ended.code()).as("%s", ended).isZero();
            // UCX, which MPICH uses, prints a warning about messages that were never received, and some facts
            // cause such messages
            assertThat(ended.out().lines().filter(line -> !line.contains(" UCX  WARN ")))
                    .as("%s", ended)
                    .hasSize(FACTS)
                    .contains("all have left");
        }
    }
}
