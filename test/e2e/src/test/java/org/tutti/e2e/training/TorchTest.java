package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Sandbox;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Processes train a network of libtorch. Any number of processes trains the same network. A mistake of one
/// rank ends all ranks, with a message that names the rank and the mistake.
@Tag("ci")
class TorchTest extends JobTest {
    private static final Path TRIAL = Checkout.module("tutti-e2e").resolve("src/test/torch/TorchTrial.java");

    @BeforeAll
    static void theAdapterIsPackaged() {
        Way.need(Checkout.isPackaged(), "the adapter to libtorch is copied to target/lib only by package");
    }

    private static ProcessOutcome run(Way way, int ranks, String... arguments) throws Exception {
        return command(way, ranks, arguments).run();
    }

    private static Command command(Way way, int ranks, String... arguments) {
        way.require();
        List<String> command = new ArrayList<>(way.run(ranks));
        command.addAll(List.of("--with", "torch", "--jvm", Command.RANKS_FLAG, TRIAL.toString()));
        command.addAll(Arrays.asList(arguments));
        return Command.launcher(
                List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT), command);
    }

    private static Trained train(Way way, int ranks) throws Exception {
        Path file = Checkout.scratch("torch").resolve("parameters");
        ProcessOutcome ended = run(way, ranks, "train", file.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        return new Trained(Files.readAllBytes(file), ended.out());
    }

    /// Groups of one, two and three ranks train in one job, because separate jobs for each number of ranks are
    /// slow.
    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    void groupsOfRanksTrainTheSameModel(Way way) throws Exception {
        Path directory = Checkout.scratch("torch");
        ProcessOutcome ended = run(way, 3, "sizes", directory.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        Trained.assertAllAlike(directory, ended.out(), way.toString());
    }

    @Test
    @Tag("full")
    void anyNumberOfRanksTrainsTheSameModel() throws Exception {
        Trained single = train(Way.SHM, 1);
        assertThat(single.output()).matches("test: \\d+ of 499\n");
        for (int ranks : new int[] {2, 3, 4, 5, 6, 7, 8}) {
            Trained one = train(Way.SHM, ranks);
            one.assertLearnedAs(single, "shm, " + ranks);
            if (ranks == 3) assertThat(train(Way.SHM, 3).bytes()).isEqualTo(one.bytes());
        }
        for (Way way : Way.natives()) {
            for (int ranks : new int[] {1, 2, 3, 4}) {
                train(way, ranks).assertLearnedAs(single, way + ", " + ranks);
            }
        }
    }

    /// The training uses dropout, which draws different random numbers on each rank.
    @ParameterizedTest
    @Ways
    @Tag("full")
    void aTrainingWithDropoutResumesExactly(Way way) throws Exception {
        for (int ranks : Tier.FULL ? new int[] {1, 2, 3} : new int[] {2}) {
            ProcessOutcome ended =
                    run(way, ranks, "resume", Checkout.scratch("torch").toString());
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).isEqualTo("the same bits: " + Collections.nCopies(ranks, "true") + "\n");
        }
    }

    private static void assertFails(Way way, String mistake, int code, String... texts) throws Exception {
        ProcessOutcome ended = run(way, 3, mistake);
        assertThat(ended.code()).as("%s", ended).isEqualTo(code);
        assertThat(ended.err()).as("%s", ended).contains(texts);
    }

    @Test
    @Tag("full")
    void aFullDiskNamesTheNewestCheckpoint() throws Exception {
        try (Sandbox small = Sandbox.withSharedMemory("6m")) {
            ProcessOutcome ended = command(Way.SHM, 1, "disk", "/dev/shm/checkpoints")
                    .in(small)
                    .run();
            assertThat(ended.code()).as("%s", ended).isEqualTo(1);
            assertThat(ended.err())
                    .as("%s", ended)
                    .contains("rank 0 failed first: java.io.IOException: the checkpoint of step 3 was not written to"
                            + " /dev/shm/checkpoints: /dev/shm/checkpoints/step-000000000003.safetensors: No space left"
                            + " on device; the newest is of step 2");
        }
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void aMistakeOfOneRankIsNamed(Way way) throws Exception {
        assertFails(
                way,
                "fewer",
                1,
                "the ranks do not do the same: rank 0 calls Step.sync(), rank 1 calls close(), rank 2 calls Step.sync()");
        if (!Tier.FULL) return;
        assertFails(way, "kill", 137, "rank 1 failed first: it was killed (SIGKILL");
        assertFails(way, "forward", 1, "sample 17 cannot be read", "rank 1 failed first");
        assertFails(
                way,
                "shape",
                1,
                "the ranks' models differ: rank 1 has 4 tensors and rank 0 4, the first difference is tensor 0: parameter"
                        + " hidden.weight F32[31, 24] where rank 0 has parameter hidden.weight F32[32, 24]");
        assertFails(
                way,
                "nan",
                1,
                "step 3: not a finite number in the gradient of hidden.weight, hidden.bias, out.weight, out.bias on rank 1");
    }
}
