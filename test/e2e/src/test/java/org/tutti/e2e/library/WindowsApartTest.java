package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.conformance.ContractMain;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Windows of ranks without shared memory, as on several machines: MPICH can be configured to treat each rank
/// as the only rank of a machine. Then the library performs every access.
@Tag("ci")
class WindowsApartTest extends JobTest {
    @BeforeEach
    void isInstalled() {
        Way.MPICH.require();
    }

    private static ProcessOutcome run(int ranks, String main, String... arguments) throws Exception {
        List<String> line = new ArrayList<>(Way.MPICH.run(ranks));
        line.addAll(List.of("-cp", Checkout.classes("tutti-conformance") + ":" + Checkout.PROGRAMS));
        line.add(main);
        line.addAll(List.of(arguments));
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), line)
                .env("MPIR_CVAR_NOLOCAL", "1")
                .run();
    }

    /// Runs the contracts that do not require shared memory.
    @Test
    void contractHolds() throws Exception {
        for (int ranks : Tier.FULL ? new int[] {1, 2, 3, 4} : new int[] {2}) {
            String[] parts = Tier.FULL
                    ? new String[] {"Access.", "Epoch.", "WindowArgument."}
                    : new String[] {"Access.whatIsPut", "Epoch."};
            ProcessOutcome outcome = run(ranks, ContractMain.class.getName(), parts);
            assertThat(outcome.code()).as("%s", outcome).isZero();
        }
    }

    @Test
    void remoteMemoryCannotBeLoaded() throws Exception {
        ProcessOutcome outcome = run(2, "programs.WindowsApart");
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut())
                .containsExactly(
                        "memory: rank=0 shares no memory with this rank, or a different rank of WORLD.window1 shares"
                                + " none; use get and put (rank 1 of 2, WORLD.window1)",
                        "memory: rank=1 shares no memory with this rank, or a different rank of WORLD.window1 shares"
                                + " none; use get and put (rank 0 of 2, WORLD.window1)",
                        "shared: ranks of WORLD.window2 are on several machines, or the library cannot share memory between"
                                + " these ranks; create it on a communicator of splitType(SHARED), or use allocate (rank 0 of 2,"
                                + " WORLD.window2)",
                        "shared: ranks of WORLD.window2 are on several machines, or the library cannot share memory between"
                                + " these ranks; create it on a communicator of splitType(SHARED), or use allocate (rank 1 of 2,"
                                + " WORLD.window2)",
                        "sum 45 of 45",
                        "sum 45 of 45");
    }
}
