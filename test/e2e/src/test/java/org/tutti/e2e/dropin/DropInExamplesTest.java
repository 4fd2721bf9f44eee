package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Five of Tutti's examples, written for each API, and the programs on the pages about the APIs.
class DropInExamplesTest extends JobTest {
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void examplesPrintTheExpectedLines(Way way) throws Exception {
        for (DropInPrograms api : DropInPrograms.values()) {
            for (int ranks : Tier.FULL ? List.of(2, 3, 4) : List.of(way.isNative() ? 2 : 3)) examples(api, way, ranks);
        }
    }

    private static void examples(DropInPrograms api, Way way, int ranks) throws Exception {
        int sum = ranks * (ranks - 1) / 2;
        String each = "the sum of all ranks is " + sum;
        prints(
                Stream.concat(
                        IntStream.range(0, ranks).mapToObj(r -> "rank " + r + ": " + each),
                        Stream.of("the token returned as " + 5 * sum)),
                api.run(way, ranks, api.prefix + "Ring", "5"));
        prints(Stream.of("heat 1000.000, warmest 56.348"), api.run(way, ranks, api.prefix + "Halo"));
        if (!Tier.FULL) return;
        prints(Stream.of("pi is about 3.141593"), api.run(way, ranks, api.prefix + "Pi", "100000"));
        prints(
                Stream.of("20 tasks were done: 4203 primes below 40000"),
                api.run(way, ranks, api.prefix + "MasterWorker"));
        prints(
                Stream.of(1000 * ranks + " roots, the last is " + (1000 * ranks - 1) + ".0"),
                api.run(way, ranks, api.prefix + "ScatterGather"));
    }

    @Test
    void theProgramsOfEachPagePrintTheSame() throws Exception {
        bothPrint(DropInPrograms.OPENMPI, "from-openmpi-java", "2 from 0, 2");
        bothPrint(DropInPrograms.MPJ, "from-mpj-express", "from 0 of 0, 2");
    }

    /// Checks that the program for the older API and the equivalent program for Tutti print the line.
    private static void bothPrint(DropInPrograms api, String page, String line) throws Exception {
        List<String> programs = programs(page);
        assertThat(programs).hasSize(2);
        Path where = Checkout.scratch("page");
        Path old = Files.writeString(where.resolve("Sum.java"), programs.get(0));
        Path current = Files.writeString(where.resolve("Current.java"), programs.get(1));
        List<String> dropIn = List.of("-cp", String.join(File.pathSeparator, api.dropIn()));
        for (Path program : List.of(old, current)) {
            List<String> arguments = new ArrayList<>(List.of("run", "-n", "2", "--jvm", Command.RANKS_FLAG));
            if (program == old) arguments.addAll(dropIn);
            arguments.add(program.toString());
            prints(
                    Stream.of(line),
                    Command.tutti(arguments.toArray(new String[0])).run());
        }
    }

    private static List<String> programs(String page) throws IOException {
        String text = Files.readString(Checkout.ROOT.resolve("docs/" + page + ".md"));
        return Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(text)
                .results()
                .map(r -> r.group(1))
                .toList();
    }

    private static void prints(Stream<String> lines, ProcessOutcome ended) {
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).isEqualTo(lines.sorted().toList());
    }
}
