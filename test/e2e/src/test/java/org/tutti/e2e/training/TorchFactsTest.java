package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// The facts of the trainer's unit tests, which use threads, also hold between processes, over shared memory
/// and libraries.
@Tag("ci")
class TorchFactsTest extends JobTest {
    private static final Path FACTS = Checkout.module("tutti-e2e").resolve("src/test/torch/TorchFacts.java");

    @BeforeAll
    static void theAdapterIsPackaged() {
        Way.need(Checkout.isPackaged(), "the adapter to libtorch is copied to target/lib only by package");
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    void holdBetweenProcesses(Way way) throws Exception {
        way.require();
        List<String> arguments = new ArrayList<>(way.run(2));
        arguments.addAll(List.of("--with", "torch", "--jvm", Command.RANKS_FLAG, FACTS.toString()));
        ProcessOutcome ended = Command.launcher(
                        List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT), arguments)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().lines()).as("%s", ended).hasSize(12);
    }
}
