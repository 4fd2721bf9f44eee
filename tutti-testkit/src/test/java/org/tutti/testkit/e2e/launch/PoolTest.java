package org.tutti.testkit.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
