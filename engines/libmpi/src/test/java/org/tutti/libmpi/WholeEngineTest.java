package org.tutti.libmpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// All features of an engine, tested by [Smoke] over each installed library. Runs only with `-Pfull`, because
/// the contract (the tests that every engine must pass) covers the same features in every build.
class WholeEngineTest {
    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void passesTheSmokeTest(LaunchedTest.Launcher launcher) throws Exception {
        LaunchedTest.Outcome o =
                LaunchedTest.run(launcher, 2, Map.of(), "messages", "objects", "collectives", "life", "storm");
        assertThat(o.code()).as(o.output()).isZero();
        assertThat(o.output()).contains("ok libmpi: ");
    }

    /// With two ranks, the library's blocking calls are used; three ranks share two cores of a small machine,
    /// so nonblocking calls are tested.
    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void passesModesAndExchanges(LaunchedTest.Launcher launcher) throws Exception {
        for (int ranks : new int[] {2, 3}) {
            LaunchedTest.Outcome o = LaunchedTest.run(launcher, ranks, Map.of(), "modes", "exchanges");
            assertThat(o.code()).as(o.output()).isZero();
            assertThat(o.output()).contains("ok libmpi: ").doesNotContain("leaked");
        }
    }
}
