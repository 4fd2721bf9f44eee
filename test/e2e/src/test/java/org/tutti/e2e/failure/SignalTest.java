package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
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
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Signals, pipes and stdin of a launcher, as a shell or a batch system uses these. Each test also asserts that
/// no rank survives.
class SignalTest extends JobTest {
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void killedLauncherStopsAllRanks(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of("--stall", "0"), "Waits", "recv")
                .start();
        job.awaitReady(4);
        Processes.signal("KILL", job.pid());
        assertThat(job.awaitCode()).isEqualTo(137);
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void killedLauncherStopsRanksOutsideMpi(Way way) throws Exception {
        Child job = Command.program(way, 2, List.of(), "Waits", "sleep").start();
        job.awaitReady(2);
        Processes.signal("KILL", job.pid());
        assertThat(job.awaitCode()).isEqualTo(137);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void interruptStopsJob(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of(), "Waits", "barrier").start();
        job.awaitReady(4);
        Processes.signal("INT", job.pid());
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(130);
        assertThat(outcome.lastErrorLine()).as("%s", outcome).startsWith("tutti: interrupted");
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void sigtermStopsJob(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of(), "Waits", "barrier").start();
        job.awaitReady(4);
        Processes.signal("TERM", job.pid());
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(143);
    }

    private static Child terminates(Way way, String kind, String... options) throws Exception {
        Child job =
                Command.program(way, 2, List.of(options), "Terminates", kind).start();
        job.awaitReady(2);
        return job;
    }

    private static ProcessOutcome end(Child job, String signal) throws Exception {
        Processes.signal(signal, job.pid());
        return job.await();
    }

    private static void assertSaved(ProcessOutcome outcome, int code) {
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(code);
        assertThat(outcome.sortedOut().stream().filter("saved"::equals))
                .as("%s", outcome)
                .hasSize(2);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    void terminatedProgramSavesAndExits(Way way) throws Exception {
        ProcessOutcome outcome = end(terminates(way, "stops"), "TERM");
        assertSaved(outcome, 143);
        assertThat(outcome.lastErrorLine()).as("%s", outcome).isEqualTo("tutti: terminated by SIGTERM");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM, ci = Way.OPEN_MPI)
    @Tag("ci")
    void usr1RunsCallbacks(Way way) throws Exception {
        assertSaved(end(terminates(way, "stops"), "USR1"), 0);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void shutdownHooksRunWithinGrace(Way way) throws Exception {
        assertSaved(end(terminates(way, "hook"), "TERM"), 143);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    @Tag("ci")
    void ranksAreKilledAfterGrace(Way way) throws Exception {
        ProcessOutcome outcome = end(terminates(way, "stays", "--grace", "1.5"), "TERM");
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(143);
        assertThat(outcome.sortedOut().stream().filter("requested"::equals))
                .as("%s", outcome)
                .hasSize(2);
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("tutti: SIGTERM: ranks 0 and 1 have 1.5 s to end (--grace)");
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .isEqualTo("tutti: terminated by SIGTERM; ranks 0 and 1 were killed after 1.5 s (--grace)");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void secondSignalKills(Way way) throws Exception {
        Child job = terminates(way, "stays");
        Processes.signal("INT", job.pid());
        job.awaitErr("tutti: SIGINT: ranks 0 and 1 have 30.0 s to end");
        ProcessOutcome outcome = end(job, "INT");
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(130);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .isEqualTo("tutti: interrupted; ranks 0 and 1 were killed (second signal)");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void graceZeroStopsRanksImmediately(Way way) throws Exception {
        ProcessOutcome outcome = end(terminates(way, "stops", "--grace", "0"), "TERM");
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(143);
        assertThat(outcome.out()).as("%s", outcome).doesNotContain("saved");
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .isEqualTo("tutti: terminated by SIGTERM; ranks 0 and 1 were stopped");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM, ci = Way.MPICH)
    @Tag("ci")
    void usr1WithoutCallbackIsReported(Way way) throws Exception {
        Child job = terminates(way, "none");
        Processes.signal("USR1", job.pid());
        job.awaitErr("tutti: SIGUSR1 is ignored: the program has not registered a callback with Mpi.onTermination");
        assertThat(job.isAlive()).isTrue();
        assertThat(end(job, "TERM").code()).isEqualTo(143);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void stoppedRankDoesNotKeepJobAlive(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of("--stall", "0"), "Waits", "recv")
                .start();
        Map<Integer, Long> ranks = job.awaitReady(4);
        Processes.signal("STOP", ranks.get(1));
        Processes.signal("KILL", ranks.get(2));
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(137);
        assertThat(outcome.lastErrorLine()).as("%s", outcome).startsWith("tutti: rank 2 failed first: ");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void closedPipeStopsJob(Way way) throws Exception {
        way.require();
        List<String> arguments = Command.arguments(way, 2, List.of(), "RankPrinter", "lines");
        ProcessOutcome outcome =
                Command.of("sh", "-c", quoted(arguments) + " | head -1").run();
        assertThat(outcome.out()).as("%s", outcome).hasLineCount(1).contains(": line 0");
        assertThat(outcome.err()).as("%s", outcome).doesNotContain("Exception");
    }

    /// Returns a shell command that runs the launcher with these arguments, in quotes.
    private static String quoted(List<String> arguments) {
        StringBuilder line = new StringBuilder();
        line.append('\'').append(Checkout.java()).append("' -XX:-UsePerfData --enable-native-access=ALL-UNNAMED -cp '");
        line.append(Checkout.classPathText()).append("' org.tutti.cli.Main");
        for (String argument : arguments) line.append(" '").append(argument).append('\'');
        return line.toString();
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void stdinReachesOnlyRank0(Way way) throws Exception {
        ProcessOutcome outcome = Command.program(way, 3, List.of(), "RankPrinter", "stdin")
                .input("good morning\n")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut())
                .as("%s", outcome)
                .containsExactly("rank 0 of 3: good morning", "rank 1 of 3: ", "rank 2 of 3: ");
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void laterInputReachesRank0(Way way) throws Exception {
        Child job = Command.program(way, 2, List.of(), "Waits", "failAfterLine")
                .openInput()
                .start();
        job.awaitReady(2);
        assertThat(job.isAlive()).isTrue();
        job.stdin().write("go\n".getBytes(StandardCharsets.UTF_8));
        job.stdin().flush();
        ProcessOutcome outcome = job.await();
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .contains("rank 1 failed first")
                .contains("rank 1 has read enough");
    }

    /// Starts the job without stdin, like cron, or a script with `&`.
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void runsWithoutStdin(Way way) throws Exception {
        way.require();
        List<String> arguments = Command.arguments(way, 2, List.of(), "RankPrinter", "hello");
        ProcessOutcome outcome = Command.of("sh", "-c", quoted(arguments) + " </dev/null & wait $!")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut()).as("%s", outcome).containsExactly("rank 0 of 2", "rank 1 of 2");
    }

    @Test
    void outputLinesAreNotMixed() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 3, List.of(), "RankPrinter", "lines").run();
        assertThat(outcome.code()).isZero();
        List<String> lines = outcome.out().lines().toList();
        assertThat(lines).hasSize(300_000).allMatch(line -> line.matches("rank [012] of 3: line \\d+"));
        for (int rank : IntStream.range(0, 3).toArray()) {
            String prefix = "rank " + rank + " of 3: line ";
            List<String> mine =
                    lines.stream().filter(line -> line.startsWith(prefix)).toList();
            assertThat(mine).hasSize(100_000).last().isEqualTo(prefix + 99_999);
        }
    }
}
