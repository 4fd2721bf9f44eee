package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Pools of ranks that are processes.
class PoolTest extends JobTest {
    /// The expected output, which does not depend on the engine or the number of workers.
    private static List<String> facts() {
        int map = IntStream.range(0, 10_000).map(x -> 3 * x).boxed().toList().hashCode();
        return List.of(
                "map " + map,
                "hits 39378",
                "sum",
                "large 3100001",
                "sent [1048576, 1048576, 1048576]",
                "ArithmeticException: no three (task 0 of submit at Pools.java:, rank r) | invert",
                "odd [2, refused, 4]",
                "tasks 39",
                "shared 1.24975E7",
                "callOnAll true");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void tasksRunOnAnyNumberOfWorkers(Way way) throws Exception {
        way.require();
        List<String> first = null;
        for (int ranks : Tier.FULL ? List.of(2, 3, 5) : List.of(way.isNative() ? 2 : 3)) {
            ProcessOutcome ended =
                    Command.program(way, ranks, List.of(), "Pools", "facts").run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.err()).as("%s", ended).isEmpty();
            List<String> told =
                    ended.out().lines().filter(line -> !line.equals("and on")).toList();
            assertThat(ended.out().lines().filter("and on"::equals))
                    .as("%s", ended)
                    .hasSize(ranks);
            int half = told.size() / 2;
            assertThat(told.subList(half, told.size())).as("%s", ended).isEqualTo(told.subList(0, half));
            if (first == null) first = told;
            assertThat(told).isEqualTo(first);
            assertThat(told.subList(0, half).stream()
                            .map(line ->
                                    line.replaceAll("\\.java:\\d+", ".java:").replaceAll("^sum .*", "sum"))
                            .toList())
                    .as("%s", ended)
                    .isEqualTo(facts());
        }
        double sum = DoubleStream.iterate(0, x -> x < 10_000, x -> x + 1)
                .map(x -> Math.exp(x / 1e4))
                .sum();
        assertThat(Double.parseDouble(first.get(2).substring(4)))
                .isCloseTo(sum, org.assertj.core.data.Offset.offset(1e-6));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aPoolAtRestIsNoStall(Way way) throws Exception {
        way.require();
        ProcessOutcome ended = Command.program(
                        way, 3, List.of("--stall", "1"), "Pools", "idle", Tier.FULL ? "40000" : "4000")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEqualTo("done\n");
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void withPoolMainIsRankZerosAlone(Way way) throws Exception {
        way.require();
        ProcessOutcome ended = Command.program(way, way.isNative() ? 2 : 3, List.of("--pool"), "Pools", "alone")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        int squares = IntStream.range(0, 100).map(x -> x * x).boxed().toList().hashCode();
        assertThat(ended.out()).as("%s", ended).isEqualTo("main of rank 0\n" + squares + "\n42\n");
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }

    @Test
    @Tag("ci")
    void anEndlessInputTakesNoMoreMemoryByTime() throws Exception {
        String seconds = Tier.FULL ? "60" : "4";
        ProcessOutcome ended = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "endless", seconds)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        Matcher more = Pattern.compile("more (-?\\d+) MiB").matcher(ended.out());
        assertThat(more.find()).as("%s", ended).isTrue();
        assertThat(Integer.parseInt(more.group(1))).isLessThanOrEqualTo(10);
    }

    /// The arguments have 1 GiB in total, or a tenth of that. They are not all in memory at the same time, and
    /// futures do not retain the arguments.
    @Test
    @Tag("ci")
    void manySubmitsTakeBoundedMemory() throws Exception {
        String count = Tier.FULL ? "1000000" : "100000", heap = Tier.FULL ? "-Xmx600m" : "-Xmx128m";
        ProcessOutcome ended = Command.program(Way.SHM, 2, List.of("--pool", "--jvm", heap), "Pools", "submits", count)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEqualTo(count + "\n");
    }

    @Test
    @Tag("ci")
    void interruptEndsAPoolWithARunningTaskAfterACancelAndATimeout() throws Exception {
        Child job = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "sleeps")
                .start();
        until(out -> out.contains("READY"), job::outSoFar);
        Processes.signal("INT", job.pid());
        ProcessOutcome ended = job.await();
        assertThat(ended.out()).as("%s", ended).isEqualTo("TaskTimeoutException\nREADY\n");
        assertThat(ended.code()).as("%s", ended).isEqualTo(130);
    }

    @Test
    void eachMistakeIsToldWithItsLineAndWhatToDo() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 2, List.of("--pool"), "PoolMistakes").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> lines = ended.out().lines().toList();
        assertThat(lines).as("%s", ended).hasSize(13).allMatch(line -> line.matches(".*PoolMistakes\\.java:\\d+.*"));
        String field = ".*and its field `\\w+` stays on this rank: copy it to a local variable.*";
        assertThat(lines.subList(0, 2)).allMatch(line -> line.matches(field));
        String value = ".* cannot be sent; supported: null, strings, .*";
        assertThat(lines.subList(2, 8))
                .allMatch(line -> line.contains("not a value: captured value: ") && line.matches(value));
        assertThat(lines.get(8))
                .contains("is not a lambda, a method reference or a record; another rank can resolve only these");
        assertThat(lines.get(9)).contains("not a value: argument: ").matches(value);
        assertThat(lines.subList(10, 12))
                .allMatch(line -> line.startsWith("the result is not a value: programs.") && line.matches(value));
        assertThat(lines.get(12)).contains("give a RankCallable, as in submit(");
    }

    @Test
    @Tag("full")
    void withPoolAnMpiProgramOfOneRankLeads() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "led").run();
        assertThat(ended.out()).as("%s", ended).isEqualTo("[1, 4]\n");
    }

    @Test
    void withPoolAProgramThatOpensNoneIsTold() throws Exception {
        ProcessOutcome ended = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "alone", "none")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        // a rank that has not reached the first line yet is not reported as waiting
        assertThat(ended.err())
                .containsPattern("without RankPool\\.run, while (ranks 1 and 2 wait|rank [12] waits) for it");
    }

    @Test
    void withPoolWrongWordsAreRefused() {
        assertThat(Command.here("run", "-n", "1", "--pool", "A.java", ":", "-n", "2", "B.java")
                        .err())
                .contains(
                        "--pool: rank 0 runs the program and the other ranks run tasks, so there is one program, not 2");
    }

    /// Several jobs with separate seeds: one job with five kills by default, 40 jobs with 200 kills in 100,000
    /// tasks with `-Pfull`.
    @Test
    void aKilledWorkerCostsTheTasksThatItHadBegun() throws Exception {
        long seed = Long.getLong("tutti.e2e.seed", System.nanoTime());
        System.out.println("kills of workers: -Dtutti.e2e.seed=" + seed);
        for (int job = 0; job < (Tier.FULL ? 40 : 1); job++) {
            String file = Checkout.SCRATCH.resolve("killed-pool").toString();
            String twice = job % 4 == 3 ? "twice" : "once";
            List<String> options = List.of("--pool", "--quiet");
            ProcessOutcome ended = Command.program(
                            Way.SHM, 7, options, "KilledPool", file, "2500", "5", Long.toString(seed + job), twice)
                    .run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).as("%s", ended).contains("workers 1, next 7500");
            assertNothingIsLeft();
        }
    }

    @Test
    void aWorkerThatEndsCostsItsTaskAndItsNameIsTold() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "dies").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err())
                .as("%s", ended)
                .containsPattern("tutti: rank [12] ended with exit code 7; the pool continues without it")
                .containsPattern(
                        "WorkerLostException: rank [12] ended with exit code 7 in task 50 of map at Pools.java:\\d+")
                .contains("; 1 of 2 workers continues");
    }

    @Test
    @Tag("ci")
    void aTaskThatKillsTwoWorkersIsNamedWithBothAndAPoolWithoutWorkersIsBroken() throws Exception {
        ProcessOutcome ended = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "all die")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out())
                .as("%s", ended)
                .containsPattern(
                        "rank [12] ended with exit code 7 in the first attempt, and rank [12] ended with exit code 7"
                                + " in task 0 of submit at Pools.java:\\d+; 0 of 2 workers continue")
                .contains("all 2 workers have died, the last was rank ");
    }

    @Test
    @Tag("full")
    void othersGoOnWhenOneDiesInAFunctionOfAll() throws Exception {
        ProcessOutcome ended = Command.program(Way.SHM, 5, List.of("--pool"), "Pools", "together")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out())
                .as("%s", ended)
                .containsPattern("(WorkerLostException|TaskFailedException)\n\\[3, 3, 3\\]\n");
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void overALibraryTheLastLineNamesTheTask(Way way) throws Exception {
        way.require();
        ProcessOutcome ended =
                Command.program(way, 2, List.of("--pool"), "Pools", "dies").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(7);
        assertThat(ended.err()).as("%s", ended).containsPattern("rank 1 failed first: .* in task 50 of map at Pools");
    }

    @Test
    @Tag("ci")
    void whatMainThrowsEndsTheJob() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 3, List.of(), "Pools", "fails").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err()).as("%s", ended).contains("IllegalStateException: rank 0 has had enough");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aWorkerThatEndsEndsTheJob(Way way) throws Exception {
        way.require();
        ProcessOutcome ended =
                Command.program(way, 3, List.of(), "Pools", "exits").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(7);
    }
}
