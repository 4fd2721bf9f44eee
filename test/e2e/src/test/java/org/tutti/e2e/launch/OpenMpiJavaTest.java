package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Programs for Open MPI's Java bindings behave the same with Tutti, over shared memory and over libraries.
@Tag("ci")
class OpenMpiJavaTest extends JobTest {
    private static final Path PROGRAMS = Checkout.module("tutti-e2e").resolve("src/test/openmpi");

    /// The number of facts in each program.
    private static final Map<String, Integer> FACTS = Map.of(
            "MessageFacts", 33,
            "CollectiveFacts", 20,
            "TypeFacts", 14,
            "CommFacts", 13,
            "AllocationFacts", 2,
            "WindowFacts", 11,
            "FileFacts", 9,
            "ProcessFacts", 6);

    /// Programs of [#FACTS] that run only with `-Pfull`.
    private static final Set<String> FULL_ONLY =
            Set.of("CommFacts", "AllocationFacts", "WindowFacts", "FileFacts", "ProcessFacts");

    @BeforeAll
    static void requireDropIn() {
        Way.need(Checkout.isPackaged(), "only the package phase creates target/lib of the drop-in");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void factsHold(Way way) throws Exception {
        way.require();
        for (int ranks : Tier.FULL ? List.of(1, 2, 3, 4) : List.of(3)) {
            for (String program : FACTS.keySet()) {
                if (Tier.FULL || !FULL_ONLY.contains(program)) facts(way, ranks, program);
            }
        }
    }

    private static void facts(Way way, int ranks, String program) throws Exception {
        List<String> arguments = new ArrayList<>(way.run(ranks));
        arguments.addAll(List.of("--with", "openmpi-java", "--jvm", Command.RANKS_FLAG));
        arguments.add(PROGRAMS.resolve(program + ".java").toString());
        arguments.add(Checkout.SCRATCH.resolve("openmpi-facts.dat").toString());
        ProcessOutcome outcome = Command.launcher(
                        List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT), arguments)
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).doesNotContain("FAILED");
        assertThat(outcome.out().lines().filter(l -> l.startsWith("ok ")))
                .as("%s", outcome)
                .hasSize(FACTS.get(program));
    }
}
