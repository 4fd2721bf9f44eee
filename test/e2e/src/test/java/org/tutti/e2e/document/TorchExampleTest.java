package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// The examples that train models of libtorch (`--with torch`) print the output in the comments, on shared
/// memory and, with `-Pfull`, over the two libraries. By default, the examples with long run times are only
/// compiled.
@Tag("ci")
class TorchExampleTest extends JobTest {
    /// Examples with long run times on two cores: up to ten seconds, the detector half a minute.
    private static final List<String> DEAR = List.of(
            "CharLanguageModel.java",
            "DigitsConvolution.java",
            "DigitsDdp.java",
            "DigitsDetection.java",
            "DigitsService.java",
            "FineTuning.java",
            "MixedPrecision.java",
            "PmapTraining.java",
            "SpawnTraining.java",
            "TimeSeries.java",
            "VerseOrder.java");

    private static final Pattern ACCURACY = Pattern.compile("^test accuracy: ([0-9.]+) ", Pattern.MULTILINE);
    private static final Pattern PRECISION = Pattern.compile("^AP50: ([0-9.]+) ", Pattern.MULTILINE);
    private static final Pattern TUNED = Pattern.compile("^5 to 9, head and body: ([0-9.]+) ", Pattern.MULTILINE);

    /// Compiles the examples in one launcher, like [ExampleTest].
    @BeforeAll
    static void compile() throws InterruptedException {
        Way.need(Checkout.isPackaged(), "the adapter to libtorch is copied to target/lib only by package");
        List<String> arguments = new ArrayList<>(List.of("run", "--dry-run"));
        for (Example example : Example.all()) {
            if (!example.options().contains("torch")) continue;
            if (arguments.size() > 2) arguments.add(":");
            arguments.addAll(
                    List.of("-n", "1", "--with", "torch", example.file().toString()));
        }
        ProcessOutcome ended = Command.launcher(List.of("-Dtutti.home=" + Checkout.ROOT), arguments)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    private static Stream<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        for (Example example : Example.all()) {
            if (!example.options().contains("torch")) continue;
            if (!Tier.FULL && DEAR.contains(example.toString())) continue;
            for (Way way : Tier.FULL ? Way.values() : new Way[] {Way.SHM}) runs.add(Arguments.of(example, way));
        }
        return runs.stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void printsTheCommentedOutput(Example example, Way way) throws Exception {
        ProcessOutcome ended = example.run(way);
        example.check(ended);
        assertAtLeast(0.97, ACCURACY, ended);
        assertAtLeast(0.97, TUNED, ended);
        assertAtLeast(0.8, PRECISION, ended);
    }

    /// Checks the value that the program reports, if the output matches the pattern.
    private static void assertAtLeast(double least, Pattern kind, ProcessOutcome ended) {
        Matcher reported = kind.matcher(ended.out());
        if (reported.find()) assertThat(Double.parseDouble(reported.group(1))).isGreaterThanOrEqualTo(least);
    }

    private static ProcessOutcome run(String name, int ranks, String... arguments) throws Exception {
        ProcessOutcome ended = Example.named(name).run(Way.SHM, ranks, arguments);
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended;
    }

    @ParameterizedTest
    @ValueSource(strings = {"autocast-bf16", "autocast-fp16", "bf16", "half-buckets"})
    @Tag("full")
    void halfPrecisionLearnsTheDigits(String way) throws Exception {
        assertAtLeast(0.97, ACCURACY, run("MixedPrecision", 3, "way=" + way));
    }

    private static List<Double> losses(Path csv) throws Exception {
        return Files.readAllLines(csv).stream()
                .map(row -> row.split(","))
                .filter(cells -> cells[2].equals("loss"))
                .map(cells -> Double.parseDouble(cells[3]))
                .toList();
    }

    @Test
    @Tag("full")
    void theLossCurveIsTheSameOnAnyNumberOfRanks() throws Exception {
        Path where = Checkout.scratch("curves");
        List<Double> single = List.of();
        for (int ranks : new int[] {1, 2, 3, 4, 5}) {
            Path csv = where.resolve(ranks + ".csv"), plot = where.resolve(ranks + ".svg");
            run("DigitsDdp", ranks, "epochs=3", "csv=" + csv, "plot=" + plot);
            List<Double> losses = losses(csv);
            if (ranks == 1) single = losses;
            assertThat(losses)
                    .as("losses of %d ranks", ranks)
                    .hasSize(single.size())
                    .hasSize(3);
            for (int i = 0; i < losses.size(); i++) {
                assertThat(losses.get(i))
                        .as("loss %d of %d ranks", i, ranks)
                        .isCloseTo(single.get(i), Percentage.withPercentage(0.01));
            }
            assertThat(Files.readString(plot)).startsWith("<svg ").contains("<polyline ");
        }
    }

    @Test
    @Tag("full")
    void aWriterResumesOnADifferentNumberOfRanks() throws Exception {
        Path checkpoints = Checkout.scratch("checkpoints");
        ProcessOutcome whole = run("CharLanguageModel", 2, "steps=20");
        run("CharLanguageModel", 3, "steps=10", "checkpoints=" + checkpoints);
        ProcessOutcome resumed = run("CharLanguageModel", 2, "steps=20", "checkpoints=" + checkpoints);
        assertThat(resumed.out()).startsWith("resumed from the checkpoint of step 10\n");
        assertThat(lossOfStep20(resumed)).isEqualTo(lossOfStep20(whole));
    }

    private static String lossOfStep20(ProcessOutcome ended) {
        Matcher line =
                Pattern.compile("^step 20: loss ([0-9.]+),", Pattern.MULTILINE).matcher(ended.out());
        assertThat(line.find()).as("%s", ended).isTrue();
        return line.group(1).substring(0, 4); // the last digits depend on the order of the sum
    }

    @Test
    @Tag("full")
    void theSeriesIsDrawn() throws Exception {
        Path plot = Checkout.scratch("series").resolve("series.png");
        run("TimeSeries", 3, "epochs=1", "plot=" + plot);
        assertThat(Files.readAllBytes(plot)).startsWith(0x89, 'P', 'N', 'G').hasSizeGreaterThan(5_000);
    }
}
