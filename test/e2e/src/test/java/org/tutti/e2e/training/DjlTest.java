package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.document.Example;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Ranks train DJL's models. Ranks are processes, because DJL has one gradient collector per JVM. Any number of
/// ranks trains the same model.
@Tag("ci")
class DjlTest extends JobTest {

    private static ProcessOutcome run(Way way, int ranks, String... program) throws Exception {
        way.require();
        List<String> arguments = way.run(ranks);
        List<String> path = new ArrayList<>(List.of(Checkout.PROGRAMS.toString()));
        path.addAll(Checkout.EXTRA_CLASS_PATH);
        for (String flag : List.of(Command.RANKS_FLAG, "-Xmx64m", "-XX:+UseSerialGC"))
            arguments.addAll(List.of("--jvm", flag));
        arguments.addAll(List.of("-cp", String.join(File.pathSeparator, path), "programs.Djl"));
        arguments.addAll(Arrays.asList(program));
        return Command.tutti(arguments.toArray(new String[0])).run();
    }

    private static List<Way> ways() {
        return Tier.FULL ? List.of(Way.values()) : List.of(Way.SHM);
    }

    private static Trained train(Way way, int ranks) throws Exception {
        Path file = Checkout.scratch("djl").resolve("parameters");
        ProcessOutcome ended = run(way, ranks, "train", file.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.problems()).as("%s", ended).isEmpty();
        return new Trained(Files.readAllBytes(file), ended.out());
    }

    /// Groups of one, two and three ranks train in one job, because separate jobs for each number of ranks are
    /// slow.
    @ParameterizedTest
    @Ways
    @Tag("full")
    void groupsOfRanksTrainTheSameModel(Way way) throws Exception {
        Path directory = Checkout.scratch("djl");
        ProcessOutcome ended = run(way, 3, "sizes", directory.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        Trained.assertAllAlike(directory, ended.out(), way.toString());
    }

    @Test
    @Tag("full")
    void anyNumberOfRanksTrainsTheSameModel() throws Exception {
        Trained single = train(Way.SHM, 1);
        assertThat(single.output()).startsWith("steps: 100\n").containsPattern("test: \\d+ of 499\n");
        for (int ranks = 2; ranks <= 4; ranks++) {
            Trained one = train(Way.SHM, ranks);
            one.assertLearnedAs(single, "shm, " + ranks);
            if (ranks == 3) assertThat(train(Way.SHM, 3).bytes()).isEqualTo(one.bytes());
        }
        for (Way way : Way.natives()) {
            for (int ranks = 1; ranks <= 4; ranks++) train(way, ranks).assertLearnedAs(single, way + ", " + ranks);
        }
    }

    /// The program `programs.Djl` makes the mistakes one by one.
    @ParameterizedTest
    @MethodSource("ways")
    void differencesBetweenRanksAreReportedOrFixed(Way way) throws Exception {
        ProcessOutcome ended = run(way, 3, "facts");
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.problems()).as("%s", ended).isEmpty();
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 3);
        assertThat(ended.out()).isEqualTo("""
                threads: %d
                offline: true
                other model: the ranks' models differ: rank 1 has 4 tensors and rank 0 4, the first difference is tensor 0: \
                parameter 01Linear_weight F32[4, 12] where rank 0 has parameter 01Linear_weight F32[3, 12]. All must build the \
                same model in the same order
                NaN: step 1: not a finite number in the gradient of 01Linear_weight, 01Linear_bias, 03Linear_weight on rank 1
                uneven: 12 steps for 12
                few: 10 batches, 4 steps
                frozen: 2 trained, the first stays true, then moves true
                norm: [02BatchNorm_runningMean, 02BatchNorm_runningVar]
                unused: step 1: backward has not reached 03Linear_weight, 01Linear_bias, 01Linear_weight on rank 1; if this \
                is intended, use Options.DEFAULTS.withFindUnusedParameters(true)
                clipped: moved by 0.0050
                heard: [4, 0, 0]
                checkpoint: step 4, epoch 1, the same on ranks 3
                different block: the checkpoint does not match the block: 01Linear_weight F32[6, 11] is 01Linear_weight F32[6, 12] in \
                the checkpoint; the block has no 02BatchNorm_gamma F32[6]; the block has no 02BatchNorm_beta F32[6]; the block \
                has no 02BatchNorm_runningMean F32[6]; the block has no 02BatchNorm_runningVar F32[6]
                continues with the same bits: 3
                """.formatted(threads));
    }

    /// The command of the example contains `--with djl`, for which the launcher needs the packaged adapter.
    @Test
    @Tag("full")
    void theExampleLearnsToReadDigits() throws Exception {
        Example digits = Example.named("DigitsDjl");
        List<String> path = List.of("-cp", String.join(File.pathSeparator, Checkout.EXTRA_CLASS_PATH));
        for (int ranks : Tier.FULL ? new int[] {1, 2, 3} : new int[] {2}) {
            List<String> arguments = Way.SHM.run(ranks);
            arguments.addAll(List.of("--jvm", Command.RANKS_FLAG));
            arguments.addAll(path);
            arguments.add(digits.file().toString());
            ProcessOutcome ended =
                    Command.tutti(arguments.toArray(new String[0])).run();
            digits.check(ended);
            Matcher accuracy = Pattern.compile("test accuracy: ([0-9.]+) ").matcher(ended.out());
            assertThat(accuracy.find()).as("%s", ended).isTrue();
            assertThat(Double.parseDouble(accuracy.group(1))).as("%s", ended).isGreaterThanOrEqualTo(0.97);
        }
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("ways")
    void anExceptionInForwardNamesTheRank(Way way) throws Exception {
        ProcessOutcome ended = run(way, 3, "forwardThrows");
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lastErrorLine())
                .startsWith("tutti: rank 1 failed first: java.lang.IllegalStateException: forward throws on purpose at"
                        + " programs.Djl.lambda$forwardThrows$0(Djl.java:");
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("ways")
    void aRankThatLeavesAStepEarlyIsNamed(Way way) throws Exception {
        ProcessOutcome ended = run(way, 3, "oneBatchFewer");
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err()).as("%s", ended).contains("the ranks do not do the same: ", "rank 1 calls close()");
    }

    @Test
    @Tag("full")
    void memoryStaysFlat() throws Exception {
        int steps = 20_000;
        ProcessOutcome ended = run(Way.SHM, 2, "memory", Integer.toString(steps));
        assertThat(ended.code()).as("%s", ended).isZero();
        long[] kib = Pattern.compile("steps: (\\d+)")
                .matcher(ended.out())
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .toArray();
        assertThat(kib).as("%s", ended).hasSize(10);
        // gradients that are not released would need 28 KB per step
        assertThat(kib[9] - kib[0]).as("%s", ended).isLessThan(8_000);
    }
}
