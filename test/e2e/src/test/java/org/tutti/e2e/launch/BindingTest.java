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

/// The CPUs on which ranks run: over every engine and library, the launcher reports the set that each rank
/// observes.
class BindingTest extends JobTest {
    private static final Pattern OBSERVED =
            Pattern.compile("rank (\\d+) of \\d+: cpus (\\S+), one hwthread: \\w+, counts on (\\d+)");
    private static final Pattern REPORTED = Pattern.compile(
            "tutti: rank (\\d+) bound to (cores? |hwthreads? |socket |the cpu set)\\S* \\(cpus (\\S+)\\)");

    private static ProcessOutcome run(Way way, int ranks, String... options) throws Exception {
        ProcessOutcome outcome = Command.program(way, ranks, List.of(options), "RankPrinter", "cpus")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        return outcome;
    }

    /// Returns the CPUs that each rank observes.
    private static Map<Integer, List<Integer>> observed(ProcessOutcome outcome) {
        Map<Integer, List<Integer>> cpus = new TreeMap<>();
        Matcher line = OBSERVED.matcher(outcome.out());
        while (line.find()) cpus.put(Integer.valueOf(line.group(1)), Cpus.numbers(line.group(2)));
        return cpus;
    }

    private static Map<Integer, List<Integer>> reported(ProcessOutcome outcome) {
        Map<Integer, List<Integer>> cpus = new TreeMap<>();
        Matcher line = REPORTED.matcher(outcome.err());
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
    void eachRankStartsOnSeparateCpu(Way way) throws Exception {
        needCores(2);
        ProcessOutcome outcome = run(way, 2, "--bind-to", "hwthread", "--report-bindings");
        Map<Integer, List<Integer>> observed = observed(outcome);
        assertThat(observed).as("%s", outcome).hasSize(2).isEqualTo(reported(outcome));
        assertThat(observed.get(0)).hasSize(1).doesNotContainAnyElementsOf(observed.get(1));
        assertThat(outcome.out().lines()).allMatch(line -> line.endsWith("one hwthread: true, counts on 1"));
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void ranksMayShareACore(Way way) throws Exception {
        ProcessOutcome outcome = run(
                way, 3, "--bind-to", "core", "--cpu-set", "" + Cpus.allowed().getFirst(), "--oversubscribe");
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        assertThat(observed(outcome).values())
                .hasSize(3)
                .containsOnly(List.of(Cpus.allowed().getFirst()));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void rankfilePlacesRanks(Way way) throws Exception {
        needCores(2);
        Path file = Checkout.scratch("rankfile").resolve("ranks");
        Files.writeString(file, "# the other way round\nrank 0=localhost slot=1\nrank 1=127.0.0.1 slot=0:0\n");
        ProcessOutcome outcome =
                run(way, 2, "--bind-to", "hwthread", "--rankfile", file.toString(), "--report-bindings");
        assertThat(observed(outcome)).as("%s", outcome).isEqualTo(reported(outcome));
        assertThat(observed(outcome).get(1)).containsExactly(Cpus.allowed().getFirst());
        assertThat(observed(outcome).get(0))
                .hasSize(1)
                .isNotEqualTo(observed(outcome).get(1));
    }

    @Test
    void rankfileAndSlotsDefineRankCount() throws Exception {
        Path file = Checkout.scratch("rankfile").resolve("ranks");
        Files.writeString(file, "rank 0=localhost slot=0\nrank 1=localhost slot=0\nrank 2=localhost slot=0\n");
        String program = Checkout.PROGRAMS.toString();
        for (List<String> options :
                List.of(List.of("--rankfile", file.toString()), List.of("-H", "localhost:2,127.0.0.1"))) {
            List<String> arguments = new ArrayList<>(List.of("run"));
            arguments.addAll(options);
            arguments.addAll(List.of("-cp", program, "programs.RankPrinter", "hello"));
            ProcessOutcome outcome =
                    Command.tutti(arguments.toArray(new String[0])).run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.sortedOut()).containsExactly("rank 0 of 3", "rank 1 of 3", "rank 2 of 3");
        }
    }

    @Test
    void peAssignsSeveralCpus() throws Exception {
        needCores(2);
        ProcessOutcome outcome = run(Way.SHM, 1, "--bind-to", "hwthread", "--map-by", "slot:PE=2", "--report-bindings");
        assertThat(observed(outcome)).as("%s", outcome).isEqualTo(reported(outcome));
        assertThat(observed(outcome).get(0)).hasSize(2);
        assertThat(outcome.out()).contains("counts on 2");
    }

    @Test
    @Tag("full")
    void withoutBindingRanksRunAnywhere() throws Exception {
        ProcessOutcome outcome = run(Way.SHM, 2, "--report-bindings");
        assertThat(outcome.err()).isEqualTo("tutti: rank 0 is not bound\ntutti: rank 1 is not bound\n");
        assertThat(observed(outcome).values()).hasSize(2).containsOnly(Cpus.allowed());
    }

    @Test
    void bindingWithoutNativeAccessIsExplained() throws Exception {
        List<String> arguments = Command.arguments(Way.SHM, 1, List.of("--bind-to", "core"), "RankPrinter", "cpus");
        ProcessOutcome outcome =
                Command.launcher(List.of("-Dtutti.door=plain"), arguments).run();
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err())
                .isEqualTo("tutti: ranks can be bound to cpus only on Linux and with native access; start Tutti with"
                        + " --enable-native-access=ALL-UNNAMED, as ./tutti does, or leave out --bind-to, --map-by, --cpu-set"
                        + " and --rankfile\n");
    }
}
