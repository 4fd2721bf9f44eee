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

/// Pools with workers in separate processes.
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
            ProcessOutcome outcome =
                    Command.program(way, ranks, List.of(), "Pools", "facts").run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.err()).as("%s", outcome).isEmpty();
            List<String> output =
                    outcome.out().lines().filter(line -> !line.equals("and on")).toList();
            assertThat(outcome.out().lines().filter("and on"::equals))
                    .as("%s", outcome)
                    .hasSize(ranks);
            int half = output.size() / 2;
            assertThat(output.subList(half, output.size())).as("%s", outcome).isEqualTo(output.subList(0, half));
            if (first == null) first = output;
            assertThat(output).isEqualTo(first);
            assertThat(output.subList(0, half).stream()
                            .map(line ->
                                    line.replaceAll("\\.java:\\d+", ".java:").replaceAll("^sum .*", "sum"))
                            .toList())
                    .as("%s", outcome)
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
    void idlePoolIsNoStall(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome = Command.program(
                        way, 3, List.of("--stall", "1"), "Pools", "idle", Tier.FULL ? "40000" : "4000")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo("done\n");
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void poolOptionRunsMainOnRank0Only(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome = Command.program(way, way.isNative() ? 2 : 3, List.of("--pool"), "Pools", "main")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        int squares = IntStream.range(0, 100).map(x -> x * x).boxed().toList().hashCode();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("main of rank 0\n" + squares + "\n42\n");
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
    }

    @Test
    @Tag("ci")
    void endlessInputUsesConstantMemory() throws Exception {
        String seconds = Tier.FULL ? "60" : "4";
        ProcessOutcome outcome = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "endless", seconds)
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        Matcher more = Pattern.compile("more (-?\\d+) MiB").matcher(outcome.out());
        assertThat(more.find()).as("%s", outcome).isTrue();
        assertThat(Integer.parseInt(more.group(1))).isLessThanOrEqualTo(10);
    }

    /// The arguments have a total size of 1 GiB with `-Pfull`, otherwise a tenth. Only some of the arguments
    /// are in memory at the same time, and futures do not hold arguments.
    @Test
    @Tag("ci")
    void manySubmitsUseBoundedMemory() throws Exception {
        String count = Tier.FULL ? "1000000" : "100000", heap = Tier.FULL ? "-Xmx600m" : "-Xmx128m";
        ProcessOutcome outcome = Command.program(
                        Way.SHM, 2, List.of("--pool", "--jvm", heap), "Pools", "submits", count)
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo(count + "\n");
    }

    @Test
    @Tag("ci")
    void interruptStopsPoolAfterCancelAndTimeout() throws Exception {
        Child job = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "sleeps")
                .start();
        until(out -> out.contains("READY"), job::outSoFar);
        Processes.signal("INT", job.pid());
        ProcessOutcome outcome = job.await();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("TaskTimeoutException\nREADY\n");
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(130);
    }

    @Test
    void mistakesAreReportedWithLineAndRemedy() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 2, List.of("--pool"), "PoolMistakes").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        List<String> lines = outcome.out().lines().toList();
        assertThat(lines).as("%s", outcome).hasSize(13).allMatch(line -> line.matches(".*PoolMistakes\\.java:\\d+.*"));
        String field = ".*and the field `\\w+` stays on this rank: copy it to a local variable.*";
        assertThat(lines.subList(0, 2)).allMatch(line -> line.matches(field));
        String value = ".* cannot be sent; supported: null, strings, .*";
        assertThat(lines.subList(2, 7))
                .allMatch(line -> line.contains("not a value: captured value: ") && line.matches(value));
        assertThat(lines.get(7)).contains("the function uses a pool (RankPool), and a task cannot submit tasks to it");
        assertThat(lines.get(8))
                .contains("is not a lambda, a method reference or a record; other ranks can resolve only these");
        assertThat(lines.get(9)).contains("not a value: argument: ").matches(value);
        assertThat(lines.subList(10, 12))
                .allMatch(line -> line.startsWith("the result is not a value: programs.") && line.matches(value));
        assertThat(lines.get(12)).contains("pass a RankCallable, as in submit(");
    }

    @Test
    @Tag("full")
    void poolOptionRunsMpiProgramOnRank0() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "led").run();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("[1, 4]\n");
    }

    @Test
    void poolOptionWithoutPoolIsReported() throws Exception {
        ProcessOutcome outcome = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "main", "none")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        // the report omits a rank that has not reached the first line yet
        assertThat(outcome.err())
                .containsPattern("without RankPool\\.run, while (ranks 1 and 2 wait|rank [12] waits) for it");
    }

    @Test
    void poolOptionWithSeveralProgramsIsRejected() {
        assertThat(Command.here("run", "-n", "1", "--pool", "A.java", ":", "-n", "2", "B.java")
                        .err())
                .contains(
                        "--pool: rank 0 runs the program and the other ranks run tasks, so there is one program, not 2");
    }

    /// By default, one job with five kills; with `-Pfull`, 40 jobs with 200 kills in 100,000 tasks, each with a
    /// separate seed.
    @Test
    void killedWorkerLosesOnlyStartedTasks() throws Exception {
        long seed = Long.getLong("tutti.e2e.seed", System.nanoTime());
        System.out.println("kills of workers: -Dtutti.e2e.seed=" + seed);
        for (int job = 0; job < (Tier.FULL ? 40 : 1); job++) {
            String file = Checkout.SCRATCH.resolve("killed-pool").toString();
            String twice = job % 4 == 3 ? "twice" : "once";
            List<String> options = List.of("--pool", "--quiet");
            ProcessOutcome outcome = Command.program(
                            Way.SHM, 7, options, "KilledPool", file, "2500", "5", Long.toString(seed + job), twice)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out()).as("%s", outcome).contains("workers 1, next 7500");
            assertNothingIsLeft();
        }
    }

    @Test
    void exitedWorkerLosesTaskAndIsNamed() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "dies").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .containsPattern("tutti: rank [12] ended with exit code 7; the pool continues without it")
                .containsPattern(
                        "WorkerLostException: rank [12] ended with exit code 7 in task 50 of map at Pools.java:\\d+")
                .contains("; 1 of 2 workers continues");
    }

    @Test
    @Tag("ci")
    void taskThatKillsTwoWorkersNamesThem() throws Exception {
        ProcessOutcome outcome = Command.program(Way.SHM, 3, List.of("--pool"), "Pools", "all die")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out())
                .as("%s", outcome)
                .containsPattern(
                        "rank [12] ended with exit code 7 in the first attempt, and rank [12] ended with exit code 7"
                                + " in task 0 of submit at Pools.java:\\d+; 0 of 2 workers continue")
                .contains("all 2 workers have died, the last was rank ");
    }

    @Test
    @Tag("full")
    void workersContinueAfterDeathInCallOnAll() throws Exception {
        ProcessOutcome outcome = Command.program(Way.SHM, 5, List.of("--pool"), "Pools", "together")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out())
                .as("%s", outcome)
                .containsPattern("(WorkerLostException|TaskFailedException)\n\\[3, 3, 3\\]\n");
    }

    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void lastLineOverLibraryNamesTask(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome =
                Command.program(way, 2, List.of("--pool"), "Pools", "dies").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
        assertThat(outcome.err())
                .as("%s", outcome)
                .containsPattern("rank 1 failed first: .* in task 50 of map at Pools");
    }

    @Test
    @Tag("ci")
    void exceptionInMainStopsJob() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 3, List.of(), "Pools", "fails").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err()).as("%s", outcome).contains("IllegalStateException: rank 0 throws on purpose");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void exitOfWorkerStopsJob(Way way) throws Exception {
        way.require();
        ProcessOutcome outcome =
                Command.program(way, 3, List.of(), "Pools", "exits").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
    }
}
