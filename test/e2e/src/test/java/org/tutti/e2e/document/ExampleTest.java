package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// The programs of examples/ print the output in the leading comments. `-Pfull` runs all programs on shared
/// memory and over the two libraries. By default all are compiled, and every twelfth runs on shared memory,
/// with `-Pci` every sixth. The results of training on different numbers of ranks are compared.
class ExampleTest extends JobTest {
    private static final Pattern ACCURACY = Pattern.compile("^test accuracy: ([0-9.]+) ", Pattern.MULTILINE);
    private static final Pattern LAST_LOSS = Pattern.compile("(?m)^step +120: loss ([0-9.]+)$");
    private static final Pattern WHOLE_LOSS = Pattern.compile("(?m)^without interruption: loss ([0-9.]+),");
    private static final double CLOSE = 1e-9;
    private static final List<String> OF_THEIR_OWN = List.of("DigitsTraining.java", "ElasticRestart.java");

    private static Stream<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        int number = 0;
        for (Example example : Example.all()) {
            if (OF_THEIR_OWN.contains(example.toString()) || example.isMixed()) continue; // below
            if (example.isStopped()) continue; // ReadmeTest
            if (example.hasTensors() || example.hasDevices()) continue; // DjlTest, TorchExampleTest, DeviceExampleTest
            if (Tier.FULL || number++ % (Tier.CI ? 6 : 12) == 0) runs.add(Arguments.of(example, Way.SHM));
            if (Tier.FULL && !example.isForOneEngine())
                for (Way way : Way.natives()) runs.add(Arguments.of(example, way));
        }
        return runs.stream();
    }

    /// Compiles all examples in one launcher, where the compiler is warm after the first program. Separate
    /// launchers would need twenty times as long.
    @BeforeAll
    static void compile() throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("run", "--dry-run"));
        for (Example example : Example.all()) {
            if (example.hasTensors()) continue;
            if (arguments.size() > 2) arguments.add(":");
            arguments.addAll(List.of("-n", "1", example.file().toString()));
        }
        assertThat(Command.tutti(arguments.toArray(new String[0])).run().code()).isZero();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void printsTheCommentedOutput(Example example, Way way) throws Exception {
        example.check(example.run(way));
    }

    /// In Debian, mpi4py is built for Open MPI, so the mixed examples run only over that library.
    @Test
    @Tag("ci")
    void mixedExamplesPrintTheCommentedOutput() throws Exception {
        Way.OPEN_MPI.require();
        List<Example> mixed = Example.all().stream().filter(Example::isMixed).toList();
        assertThat(mixed).isNotEmpty();
        for (Example example : mixed) example.checkMixed(example.runAsItStands());
    }

    private static Stream<Example> all() {
        return Example.all().stream()
                .filter(example -> !example.hasTensors() && !example.hasDevices())
                .filter(example -> !example.isStopped())
                .filter(example -> Tier.FULL || example.toString().equals("Objects.java"));
    }

    @ParameterizedTest
    @MethodSource("all")
    @Tag("full")
    void oneRankWorksOrPrintsTheMinimum(Example example) throws Exception {
        ProcessOutcome ended = example.run(Way.SHM, 1);
        if (ended.code() == 0) assertThat(ended.err()).as("%s", ended).isEmpty();
        else
            assertThat(ended.lastErrorLine())
                    .containsAnyOf("at least 2 ranks", "takes 2 ranks", "dest=1 is not a rank of WORLD");
    }

    @Test
    @Tag("full")
    void theDartsAreDrawnInOnePicture() throws Exception {
        assertThat(picture("MonteCarloPi", Way.SHM, 2, "darts=1000"))
                .hasSizeGreaterThan(5_000); // an empty picture has 1.5 kB
    }

    @Test
    @Tag("ci")
    void theMandelbrotPictureIsTheSameOnAnyNumberOfRanks() throws Exception {
        byte[] single = picture("Mandelbrot", Way.SHM, 1, "width=120");
        assertThat(single).hasSizeGreaterThan(2_000);
        assertThat(picture("Mandelbrot", Way.SHM, 5, "width=120")).isEqualTo(single);
        if (Tier.FULL)
            assertThat(picture("Mandelbrot", Way.MPICH, 2, "width=120")).isEqualTo(single);
    }

    @Test
    @Tag("full")
    void thePlateIsTheSameOnAnyGridOfRanks() throws Exception {
        byte[] single = picture("HaloExchange2D", Way.SHM, 1);
        assertThat(single).hasSizeGreaterThan(5_000);
        assertThat(picture("HaloExchange2D", Way.SHM, 5)).isEqualTo(single);
        assertThat(picture("HaloExchange2D", Way.OPEN_MPI, 4)).isEqualTo(single);
    }

    private static byte[] picture(String name, Way way, int ranks, String... more) throws Exception {
        Path picture = Checkout.scratch("picture").resolve("picture.png");
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("picture=" + picture);
        ProcessOutcome ended = Example.named(name).run(way, ranks, arguments.toArray(new String[0]));
        assertThat(ended.code()).as("%s", ended).isZero();
        byte[] bytes = Files.readAllBytes(picture);
        assertThat(bytes).startsWith(0x89, 'P', 'N', 'G');
        return bytes;
    }

    @Test
    @Tag("full")
    void theClustersAreTheSameOnAnyNumberOfRanks() throws Exception {
        Example groups = Example.named("KMeans");
        groups.check(groups.run(Way.SHM, 1));
        groups.check(groups.run(Way.SHM, 3));
        groups.check(groups.run(Way.OPEN_MPI, 5));
    }

    @Test
    @Tag("full")
    void thePlotOfTheSpeedUpHasALineForEachSize() throws Exception {
        Path plot = Checkout.scratch("plot").resolve("plot.svg");
        ProcessOutcome ended = Example.named("MergeSort").run(Way.SHM, 3, "largest=10000", "plot=" + plot);
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(Files.readString(plot))
                .startsWith("<svg ")
                .endsWith("</svg>\n")
                .containsPattern(Pattern.compile("(<polyline .*[^<]*){3}", Pattern.DOTALL));
    }

    @Test
    @Tag("full")
    void trainingIsTheSameOnAnyNumberOfRanks() throws Exception {
        double[] single = train(Way.SHM, 1);
        for (int ranks : Tier.FULL ? new int[] {2, 3, 4} : new int[] {3}) {
            assertClose(train(Way.SHM, ranks), single, "shm, " + ranks);
        }
        if (Tier.FULL) assertClose(train(Way.OPEN_MPI, 2), single, "Open MPI");
        assertClose(train(Way.MPICH, 2), single, "MPICH");
    }

    @Test
    @Tag("ci")
    void trainingLearnsToReadDigits() throws Exception {
        Example training = Example.named("DigitsTraining");
        ProcessOutcome ended = training.run(Way.SHM);
        training.check(ended);
        Matcher accuracy = ACCURACY.matcher(ended.out());
        assertThat(accuracy.find()).as("%s", ended).isTrue();
        assertThat(Double.parseDouble(accuracy.group(1))).as("%s", ended).isGreaterThanOrEqualTo(0.95);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            full = {Way.SHM, Way.MPICH})
    @Tag("ci")
    void aResumedTrainingHasTheSameResult(Way way) throws Exception {
        Example elastic = Example.named("ElasticRestart");
        ProcessOutcome ended = elastic.run(way);
        assertThat(ended.err())
                .as("%s", ended)
                .contains("tutti: rank 1 failed first: ")
                .contains("tutti: restart 1 of 3\n");
        elastic.check(new ProcessOutcome(ended.command(), ended.code(), ended.out(), ""));
    }

    @Test
    @Tag("full")
    void aTrainingResumesOnADifferentNumberOfRanks() throws Exception {
        Path checkpoints = Checkout.scratch("checkpoints");
        Example elastic = Example.named("ElasticRestart");
        ProcessOutcome killed = elastic.run(Way.SHM, 2, "checkpoints=" + checkpoints);
        assertThat(killed.code()).as("%s", killed).isEqualTo(1);
        ProcessOutcome resumed = elastic.run(Way.SHM, 3, "kill=0", "checkpoints=" + checkpoints);
        assertThat(resumed.code()).as("%s", resumed).isZero();
        assertThat(resumed.out()).as("%s", resumed).startsWith("try 0: from the checkpoint of step 40\n");
        Matcher last = LAST_LOSS.matcher(resumed.out()), whole = WHOLE_LOSS.matcher(resumed.out());
        assertThat(last.find() && whole.find()).as("%s", resumed).isTrue();
        // the order of a sum differs in the first steps
        double difference = Double.parseDouble(last.group(1)) - Double.parseDouble(whole.group(1));
        assertThat(Math.abs(difference)).as("%s", resumed).isLessThan(1e-6);
    }

    /// Trains the network. With `-Pfull`, the training is long enough to see a difference grow.
    private static double[] train(Way way, int ranks) throws Exception {
        String epochs = Tier.FULL ? "10" : "2";
        Path weights = Checkout.scratch("digits").resolve("weights");
        ProcessOutcome ended =
                Example.named("DigitsTraining").run(way, ranks, "--epochs", epochs, "--save", weights.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        return Files.readAllLines(weights).stream()
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static void assertClose(double[] weights, double[] expected, String where) {
        assertThat(weights).hasSameSizeAs(expected);
        double difference = 0, norm = 0;
        for (int i = 0; i < weights.length; i++) {
            difference += (weights[i] - expected[i]) * (weights[i] - expected[i]);
            norm += expected[i] * expected[i];
        }
        assertThat(Math.sqrt(difference / norm))
                .as("relative distance on %s ranks", where)
                .isLessThan(CLOSE);
    }
}
