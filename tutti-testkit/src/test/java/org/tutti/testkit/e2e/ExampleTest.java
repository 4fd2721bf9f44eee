package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Way;

/// Every file of examples/, on shared memory with 1, 2 and 3 ranks and once over each library; the training
/// also compared with itself.
class ExampleTest extends JobTest {
    private static final Pattern ACCURACY = Pattern.compile("^test accuracy: ([0-9.]+) ", Pattern.MULTILINE);
    private static final double CLOSE = 1e-9;

    private static Stream<Arguments> runs() throws IOException {
        List<Arguments> runs = new ArrayList<>();
        try (Stream<Path> files = Files.list(Checkout.ROOT.resolve("examples"))) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith("DigitsTraining")) continue; // below
                for (int ranks = 1; ranks <= 3; ranks++) runs.add(Arguments.of(Way.SHM, ranks, name));
                runs.add(Arguments.of(Way.OPEN_MPI, 2, name));
                runs.add(Arguments.of(Way.MPICH, 3, name));
            }
        }
        return runs.stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void runs(Way way, int ranks, String name) throws Exception {
        Ended ended = run(way, ranks, "examples/" + name);
        if (name.equals("Objects.java") && ranks == 1) {
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.lastWords()).contains("this program takes at least 2 processes");
            return;
        }
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).isEmpty();
        assertThat(ended.out()).as("%s", ended).contains(expected(name, ranks));
    }

    private static List<String> expected(String name, int ranks) {
        return switch (name) {
            case "Hello.java" ->
                Stream.iterate(0, r -> r < ranks, r -> r + 1)
                        .map(r -> "Hello, World! I am process " + r + " of " + ranks + " on ")
                        .toList();
            case "Pi.java" -> List.of("pi is about 3.14159265359", ", error ");
            case "Ring.java" -> List.of(Integer.toString(ranks * (ranks - 1) / 2));
            case "Readme.java" -> List.of("[a, 7, 3.14] and " + (double) (ranks * (ranks - 1)));
            case "Objects.java" ->
                List.of("rank 1 got a map with a=7 and b=3.14", "rank 0 got Result[name=job 1, sum=7.0]");
            default -> List.of("\n"); // a new example prints something
        };
    }

    private static Ended run(Way way, int ranks, String... program) throws Exception {
        way.require();
        List<String> words = way.run(ranks);
        words.addAll(List.of(program));
        return Command.tutti(words.toArray(new String[0])).run();
    }

    @Test
    void trainingGivesTheSameModelOnAnyNumberOfRanksOverAnyEngine() throws Exception {
        double[] alone = train(Way.SHM, 1);
        for (int ranks = 2; ranks <= 4; ranks++) assertClose(train(Way.SHM, ranks), alone, "shm, " + ranks);
        assertClose(train(Way.OPEN_MPI, 2), alone, "Open MPI");
        assertClose(train(Way.MPICH, 3), alone, "MPICH");
    }

    private static double[] train(Way way, int ranks) throws Exception {
        Path weights = Checkout.scratch("digits").resolve("weights");
        Ended ended = run(way, ranks, "examples/DigitsTraining.java", "--save", weights.toString());
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).isEmpty();
        Matcher accuracy = ACCURACY.matcher(ended.out());
        assertThat(accuracy.find()).as("%s", ended).isTrue();
        assertThat(Double.parseDouble(accuracy.group(1))).as("%s", ended).isGreaterThanOrEqualTo(0.95);
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
