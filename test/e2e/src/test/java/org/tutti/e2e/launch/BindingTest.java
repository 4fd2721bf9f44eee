package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.Cpus;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// The CPUs that ranks run on: the set that each rank observes equals the set that the launcher reports, over
/// every engine and library.
class BindingTest extends JobTest {
    private static final Pattern SEEN =
            Pattern.compile("rank (\\d+) of \\d+: cpus (\\S+), one hwthread: \\w+, counts on (\\d+)");
    private static final Pattern SAID = Pattern.compile(
            "tutti: rank (\\d+) bound to (cores? |hwthreads? |socket |the cpu set)\\S* \\(cpus (\\S+)\\)");

    private static ProcessOutcome run(Way way, int ranks, String... options) throws Exception {
        ProcessOutcome ended =
                Command.program(way, ranks, List.of(options), "Tells", "cpus").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended;
    }

    /// Returns the CPUs that each rank observes.
    private static Map<Integer, List<Integer>> seen(ProcessOutcome ended) {
        Map<Integer, List<Integer>> cpus = new TreeMap<>();
        Matcher line = SEEN.matcher(ended.out());
        while (line.find()) cpus.put(Integer.valueOf(line.group(1)), Cpus.numbers(line.group(2)));
        return cpus;
    }

    private static Map<Integer, List<Integer>> said(ProcessOutcome ended) {
        Map<Integer, List<Integer>> cpus = new TreeMap<>();
        Matcher line = SAID.matcher(ended.err());
        while (line.find()) cpus.put(Integer.valueOf(line.group(1)), Cpus.numbers(line.group(3)));
        return cpus;
    }

    private static void needCores(int cores) {
        Way.need(
                Cpus.allowed().size() >= cores,
                "this machine has " + Cpus.allowed().size() + " cpus, not " + cores);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    void eachRankIsBornOnItsOwnCpu(Way way) throws Exception {
        needCores(2);
        ProcessOutcome ended = run(way, 2, "--bind-to", "hwthread", "--report-bindings");
        Map<Integer, List<Integer>> seen = seen(ended);
        assertThat(seen).as("%s", ended).hasSize(2).isEqualTo(said(ended));
        assertThat(seen.get(0)).hasSize(1).doesNotContainAnyElementsOf(seen.get(1));
        assertThat(ended.out().lines()).allMatch(line -> line.endsWith("one hwthread: true, counts on 1"));
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("full")
    void ranksMayShareACore(Way way) throws Exception {
        ProcessOutcome ended = run(
                way, 3, "--bind-to", "core", "--cpu-set", "" + Cpus.allowed().getFirst(), "--oversubscribe");
        assertThat(ended.err()).as("%s", ended).isEmpty();
        assertThat(seen(ended).values())
                .hasSize(3)
                .containsOnly(List.of(Cpus.allowed().getFirst()));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aRankfileSaysWhereEachRankRuns(Way way) throws Exception {
        needCores(2);
        Path file = Checkout.scratch("rankfile").resolve("ranks");
        Files.writeString(file, "# the other way round\nrank 0=localhost slot=1\nrank 1=127.0.0.1 slot=0:0\n");
        ProcessOutcome ended = run(way, 2, "--bind-to", "hwthread", "--rankfile", file.toString(), "--report-bindings");
        assertThat(seen(ended)).as("%s", ended).isEqualTo(said(ended));
        assertThat(seen(ended).get(1)).containsExactly(Cpus.allowed().getFirst());
        assertThat(seen(ended).get(0)).hasSize(1).isNotEqualTo(seen(ended).get(1));
    }

    @Test
    void aRankfileAndSlotsSayHowManyRanksThereAre() throws Exception {
        Path file = Checkout.scratch("rankfile").resolve("ranks");
        Files.writeString(file, "rank 0=localhost slot=0\nrank 1=localhost slot=0\nrank 2=localhost slot=0\n");
        String program = Checkout.PROGRAMS.toString();
        for (List<String> options :
                List.of(List.of("--rankfile", file.toString()), List.of("-H", "localhost:2,127.0.0.1"))) {
            List<String> words = new ArrayList<>(List.of("run"));
            words.addAll(options);
            words.addAll(List.of("-cp", program, "programs.Tells", "hello"));
            ProcessOutcome ended = Command.tutti(words.toArray(new String[0])).run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.sortedOut()).containsExactly("rank 0 of 3", "rank 1 of 3", "rank 2 of 3");
        }
    }

    @Test
    void withPeARankHasSeveralCpusAndCountsOnThem() throws Exception {
        needCores(2);
        ProcessOutcome ended = run(Way.SHM, 1, "--bind-to", "hwthread", "--map-by", "slot:PE=2", "--report-bindings");
        assertThat(seen(ended)).as("%s", ended).isEqualTo(said(ended));
        assertThat(seen(ended).get(0)).hasSize(2);
        assertThat(ended.out()).contains("counts on 2");
    }

    @Test
    @Tag("full")
    void withoutBindingRanksRunAnywhere() throws Exception {
        ProcessOutcome ended = run(Way.SHM, 2, "--report-bindings");
        assertThat(ended.err()).isEqualTo("tutti: rank 0 is not bound\ntutti: rank 1 is not bound\n");
        assertThat(seen(ended).values()).hasSize(2).containsOnly(Cpus.allowed());
    }

    @Test
    void withoutNativeAccessTheWayOutIsSaid() throws Exception {
        List<String> words = Command.words(Way.SHM, 1, List.of("--bind-to", "core"), "Tells", "cpus");
        ProcessOutcome ended =
                Command.launcher(List.of("-Dtutti.door=plain"), words).run();
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("tutti: ranks can be bound to cpus only on Linux and with native access; start Tutti with"
                        + " --enable-native-access=ALL-UNNAMED, as ./tutti does, or leave out --bind-to, --map-by, --cpu-set"
                        + " and --rankfile\n");
    }
}
