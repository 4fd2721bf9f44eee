package org.tutti.testkit.e2e.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Tier;
import org.tutti.testkit.job.Way;
import org.tutti.testkit.job.Ways;

/// Five of Tutti's examples, written to the API of MPJ Express.
class MpjProgramsTest extends JobTest {
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void examplesPrintWhatTheyShould(Way way) throws Exception {
        for (int ranks : Tier.FULL ? List.of(2, 3, 4) : List.of(way.isNative() ? 2 : 3)) {
            int sum = ranks * (ranks - 1) / 2;
            String each = "the sum of all ranks is " + sum;
            prints(
                    Stream.concat(
                            IntStream.range(0, ranks).mapToObj(r -> "rank " + r + ": " + each),
                            Stream.of("the token came back as " + 5 * sum)),
                    MpjPrograms.run(way, ranks, "MpjRing", "5"));
            prints(Stream.of("pi is about 3.141593"), MpjPrograms.run(way, ranks, "MpjPi", "100000"));
            prints(
                    Stream.of("20 tasks were done: 4203 primes below 40000"),
                    MpjPrograms.run(way, ranks, "MpjMasterWorker"));
            prints(Stream.of("heat 1000.000, warmest 56.348"), MpjPrograms.run(way, ranks, "MpjHalo"));
            prints(
                    Stream.of(1000 * ranks + " roots, the last is " + (1000 * ranks - 1) + ".0"),
                    MpjPrograms.run(way, ranks, "MpjScatterGather"));
        }
    }

    /// Both programs of the page, the one for MPJ Express and the one for Tutti, print the same.
    @Test
    void thePagesProgramsPrintTheSame() throws Exception {
        List<String> programs = MpjPrograms.ofPage();
        assertThat(programs).hasSize(2);
        Path where = Checkout.scratch("page");
        Path old = Files.writeString(where.resolve("Sum.java"), programs.get(0));
        Path own = Files.writeString(where.resolve("Own.java"), programs.get(1));
        List<String> dropIn = List.of("-cp", String.join(File.pathSeparator, MpjPrograms.dropIn()));
        for (Path program : List.of(old, own)) {
            List<String> words = new ArrayList<>(List.of("run", "-n", "2", "--jvm", Command.RANKS_FLAG));
            if (program == old) words.addAll(dropIn);
            words.add(program.toString());
            prints(
                    Stream.of("from 0 of 0, 2"),
                    Command.tutti(words.toArray(new String[0])).run());
        }
    }

    private static void prints(Stream<String> lines, Ended ended) {
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).isEqualTo(lines.sorted().toList());
    }
}
