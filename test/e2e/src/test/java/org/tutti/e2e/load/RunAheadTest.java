package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Senders that are far ahead of the receiver (docs/decisions/52), and roots that are far ahead in collective
/// calls (docs/decisions/38).
class RunAheadTest extends JobTest {
    private static final Marked SOURCE = Marked.program("Flood");

    @Test
    @Tag("ci")
    void receiverMemoryStaysSmall() throws Exception {
        ProcessOutcome outcome = Command.program(Way.SHM, 3, List.of("--timeout", "120"), "Flood", "right")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        long mebibytes = Long.parseLong(outcome.out().strip().replace(" MiB", ""));
        assertThat(mebibytes).isLessThan(60);
    }

    @Test
    @Tag("ci")
    void relianceOnUnboundedMemoryIsReported() throws Exception {
        ProcessOutcome outcome = Command.program(
                        Way.SHM, 2, List.of("--stall", "1", "--timeout", "120"), "Flood", "wrong")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .contains(
                        "rank 0: send(dest=1, tag=2, 128 bytes) on WORLD, which requires that rank 1 receives: it holds"
                                + " 4096 KiB of unreceived messages from this rank (receive earlier, with irecv, or"
                                + " send with bsend)");
        assertThat(outcome.lastErrorLine())
                .startsWith("tutti: deadlock: 0 send→1 (" + SOURCE.line("flood") + ") → 1 recv←0 ("
                        + SOURCE.line("first") + ") → 0: exit code 1 after ");
    }

    private static List<Way> libraries() {
        return Tier.FULL ? Way.natives() : List.of(Way.MPICH);
    }

    /// Libraries search the whole unexpected queue in each probe. Without Tutti's countermeasure, this test
    /// took minutes.
    @ParameterizedTest
    @MethodSource("libraries")
    @Tag("ci")
    void probeForLastMessageReturns(Way way) throws Exception {
        ProcessOutcome outcome = Command.program(
                        way, 2, List.of("--timeout", "120"), "Flood", "probed", Tier.FULL ? "300000" : "60000")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
    }

    /// Uses a different seed in each run. A failure prints the seed.
    @Test
    void rootsRunAhead() throws Exception {
        int seeds = Tier.FULL ? 40 : 1;
        String calls = Tier.FULL ? "2000" : "700";
        long first = System.nanoTime();
        for (long seed = first; seed < first + seeds; seed++) {
            int ranks = 3 + (int) (seed % 4);
            ProcessOutcome outcome = Command.program(
                            Way.SHM, ranks, List.of("--timeout", "120"), "RootedCalls", Long.toString(seed), calls)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out().lines()).as("%s", outcome).hasSize(ranks).allMatch("right"::equals);
        }
    }
}
