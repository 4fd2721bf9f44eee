package org.tutti.testkit.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Tier;
import org.tutti.testkit.job.Way;
import org.tutti.testkit.job.Ways;

/// Pools of ranks that are processes.
class PoolTest extends JobTest {
    /// The same on any way and for any number of workers.
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
                "everywhere true");
    }

    @ParameterizedTest
    @Ways(quick = {Way.SHM, Way.MPICH})
    void tasksRunOnAnyNumberOfWorkers(Way way) throws Exception {
        way.require();
        List<String> first = null;
        for (int ranks : Tier.FULL ? List.of(2, 3, 5) : List.of(way.isNative() ? 2 : 3)) {
            Ended ended =
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
    void aPoolAtRestIsNoStall(Way way) throws Exception {
        way.require();
        Ended ended = Command.program(way, 3, List.of("--stall", "1"), "Pools", "idle", "4000")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEqualTo("done\n");
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }

    @ParameterizedTest
    @Ways(quick = {Way.SHM, Way.MPICH})
    void withPoolMainIsRankZerosAlone(Way way) throws Exception {
        way.require();
        Ended ended = Command.program(way, way.isNative() ? 2 : 3, List.of("--pool"), "Pools", "alone")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        int squares = IntStream.range(0, 100).map(x -> x * x).boxed().toList().hashCode();
        assertThat(ended.out()).as("%s", ended).isEqualTo("main of rank 0\n" + squares + "\n42\n");
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }

    @Test
    void withPoolAnMpiProgramOfOneRankLeads() throws Exception {
        Ended ended =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "led").run();
        assertThat(ended.out()).as("%s", ended).isEqualTo("[1, 4]\n");
    }

    @Test
    void withPoolAProgramThatOpensNoneIsTold() throws Exception {
        Ended ended = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "alone", "none")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err()).contains("without RankPool.open, while ranks 1 and 2 wait for it");
    }

    @Test
    void withPoolWrongWordsAreRefused() {
        assertThat(Command.here("run", "-n", "1", "--pool", "A.java", ":", "-n", "2", "B.java")
                        .err())
                .contains("--pool: rank 0 runs the program and the others its tasks, so there is one program, not 2");
    }

    /// Of several jobs, each with a seed of its own: by default five kills, with `-Pfull` 200 in 100,000 tasks.
    @Test
    void aKilledWorkerCostsTheTasksThatItHadBegun() throws Exception {
        long seed = Long.getLong("tutti.e2e.seed", System.nanoTime());
        System.out.println("kills of workers: -Dtutti.e2e.seed=" + seed);
        for (int job = 0; job < (Tier.FULL ? 40 : 1); job++) {
            String file = Checkout.SCRATCH.resolve("killed-pool").toString();
            String twice = job % 4 == 3 ? "twice" : "once";
            List<String> options = List.of("--pool", "--quiet");
            Ended ended = Command.program(
                            Way.SHM, 7, options, "KilledPool", file, "2500", "5", Long.toString(seed + job), twice)
                    .run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).as("%s", ended).contains("workers 1, next 7500");
            assertNothingIsLeft();
        }
    }

    @Test
    void aWorkerThatEndsCostsItsTaskAndItsNameIsTold() throws Exception {
        Ended ended =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "dies").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err())
                .as("%s", ended)
                .containsPattern("tutti: rank [12] ended with exit code 7; the pool goes on without it")
                .containsPattern("WorkerLost: rank [12] ended with exit code 7 in task 50 of map at Pools.java:\\d+")
                .contains("; 1 of 2 workers goes on");
    }

    @Test
    void aTaskThatKillsTwoWorkersIsNamedWithBothAndAPoolWithoutWorkersIsBroken() throws Exception {
        Ended ended = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "all die")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out())
                .as("%s", ended)
                .containsPattern(
                        "rank [12] ended with exit code 7 in its first try, and rank [12] ended with exit code 7"
                                + " in task 0 of submit at Pools.java:\\d+; 0 of 2 workers go on")
                .contains("all 2 workers have died, at last rank ");
    }

    @Test
    void othersGoOnWhenOneDiesInAFunctionOfAll() throws Exception {
        Ended ended = Command.program(Way.SHM, 5, List.of("--pool"), "Pools", "together")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).containsPattern("(WorkerLost|TaskFailure)\n\\[3, 3, 3\\]\n");
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    void overALibraryTheLastLineNamesTheTask(Way way) throws Exception {
        way.require();
        Ended ended =
                Command.program(way, 2, List.of("--pool"), "Pools", "dies").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(7);
        assertThat(ended.err()).as("%s", ended).containsPattern("rank 1 failed first: .* in task 50 of map at Pools");
    }

    @Test
    void whatMainThrowsEndsTheJob() throws Exception {
        Ended ended = Command.program(Way.SHM, 3, List.of(), "Pools", "fails").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err()).as("%s", ended).contains("IllegalStateException: rank 0 has had enough");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aWorkerThatEndsEndsTheJob(Way way) throws Exception {
        way.require();
        Ended ended = Command.program(way, 3, List.of(), "Pools", "exits").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(7);
    }
}
