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

/// Signals, pipes and stdin of a launcher, as used by a shell or a batch system. Each test also asserts that
/// no rank survives.
class SignalTest extends JobTest {
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void killOfTheLauncherEndsAllRanks(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of("--stall", "0"), "Waits", "recv")
                .start();
        job.awaitReady(4);
        Processes.signal("KILL", job.pid());
        assertThat(job.awaitCode()).isEqualTo(137);
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("full")
    void killOfTheLauncherEndsRanksThatAreBusyWithThemselves(Way way) throws Exception {
        Child job = Command.program(way, 2, List.of(), "Waits", "sleep").start();
        job.awaitReady(2);
        Processes.signal("KILL", job.pid());
        assertThat(job.awaitCode()).isEqualTo(137);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void interruptEndsTheJob(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of(), "Waits", "barrier").start();
        job.awaitReady(4);
        Processes.signal("INT", job.pid());
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(130);
        assertThat(ended.lastWords()).as("%s", ended).startsWith("tutti: interrupted");
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void terminationEndsTheJob(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of(), "Waits", "barrier").start();
        job.awaitReady(4);
        Processes.signal("TERM", job.pid());
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(143);
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

    private static void assertSaved(ProcessOutcome ended, int code) {
        assertThat(ended.code()).as("%s", ended).isEqualTo(code);
        assertThat(ended.sortedOut().stream().filter("saved"::equals))
                .as("%s", ended)
                .hasSize(2);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    void aTerminatedProgramSavesAndEndsByItself(Way way) throws Exception {
        ProcessOutcome ended = end(terminates(way, "ends"), "TERM");
        assertSaved(ended, 143);
        assertThat(ended.lastWords()).as("%s", ended).isEqualTo("tutti: terminated by SIGTERM");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM, ci = Way.OPEN_MPI)
    @Tag("ci")
    void usr1RunsTheSameCallbacks(Way way) throws Exception {
        assertSaved(end(terminates(way, "ends"), "USR1"), 0);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    @Tag("ci")
    void shutdownHooksHaveTheTimeOfGrace(Way way) throws Exception {
        assertSaved(end(terminates(way, "hook"), "TERM"), 143);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    @Tag("ci")
    void ranksAreKilledAtTheEndOfGrace(Way way) throws Exception {
        ProcessOutcome ended = end(terminates(way, "stays", "--grace", "1.5"), "TERM");
        assertThat(ended.code()).as("%s", ended).isEqualTo(143);
        assertThat(ended.sortedOut().stream().filter("asked"::equals))
                .as("%s", ended)
                .hasSize(2);
        assertThat(ended.err()).as("%s", ended).contains("tutti: SIGTERM: ranks 0 and 1 have 1.5 s to end (--grace)");
        assertThat(ended.lastWords())
                .as("%s", ended)
                .isEqualTo("tutti: terminated by SIGTERM; ranks 0 and 1 were killed after 1.5 s (--grace)");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aSecondSignalKills(Way way) throws Exception {
        Child job = terminates(way, "stays");
        Processes.signal("INT", job.pid());
        job.awaitErr("tutti: SIGINT: ranks 0 and 1 have 30.0 s to end");
        ProcessOutcome ended = end(job, "INT");
        assertThat(ended.code()).as("%s", ended).isEqualTo(130);
        assertThat(ended.lastWords())
                .as("%s", ended)
                .isEqualTo("tutti: interrupted; ranks 0 and 1 were killed (second signal)");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void graceZeroEndsRanksAsAfterAFailure(Way way) throws Exception {
        ProcessOutcome ended = end(terminates(way, "ends", "--grace", "0"), "TERM");
        assertThat(ended.code()).as("%s", ended).isEqualTo(143);
        assertThat(ended.out()).as("%s", ended).doesNotContain("saved");
        assertThat(ended.lastWords())
                .as("%s", ended)
                .isEqualTo("tutti: terminated by SIGTERM; ranks 0 and 1 were stopped");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM, ci = Way.MPICH)
    @Tag("ci")
    void usr1WithoutCallbackIsIgnoredAloud(Way way) throws Exception {
        Child job = terminates(way, "none");
        Processes.signal("USR1", job.pid());
        job.awaitErr("tutti: SIGUSR1 is ignored: the program has not registered a callback with Mpi.onTermination");
        assertThat(job.isAlive()).isTrue();
        assertThat(end(job, "TERM").code()).isEqualTo(143);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aStoppedRankDoesNotKeepTheJobAlive(Way way) throws Exception {
        Child job = Command.program(way, 4, List.of("--stall", "0"), "Waits", "recv")
                .start();
        Map<Integer, Long> ranks = job.awaitReady(4);
        Processes.signal("STOP", ranks.get(1));
        Processes.signal("KILL", ranks.get(2));
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(137);
        assertThat(ended.lastWords()).as("%s", ended).startsWith("tutti: rank 2 failed first: ");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aReaderThatGoesEndsTheJob(Way way) throws Exception {
        way.require();
        List<String> words = Command.words(way, 2, List.of(), "Tells", "lines");
        ProcessOutcome ended =
                Command.of("sh", "-c", quoted(words) + " | head -1").run();
        assertThat(ended.out()).as("%s", ended).hasLineCount(1).contains(": line 0");
        assertThat(ended.err()).as("%s", ended).doesNotContain("Exception");
    }

    /// Returns a shell command that runs the launcher with these arguments, quoted.
    private static String quoted(List<String> words) {
        StringBuilder line = new StringBuilder();
        line.append('\'').append(Checkout.java()).append("' -XX:-UsePerfData --enable-native-access=ALL-UNNAMED -cp '");
        line.append(Checkout.classPathText()).append("' org.tutti.cli.Main");
        for (String word : words) line.append(" '").append(word).append('\'');
        return line.toString();
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void stdinReachesRank0Alone(Way way) throws Exception {
        ProcessOutcome ended = Command.program(way, 3, List.of(), "Tells", "stdin")
                .input("good morning\n")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut())
                .as("%s", ended)
                .containsExactly("rank 0 of 3: good morning", "rank 1 of 3: ", "rank 2 of 3: ");
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("full")
    void aLineTypedLaterReachesRank0(Way way) throws Exception {
        Child job = Command.program(way, 2, List.of(), "Waits", "failAfterLine")
                .openInput()
                .start();
        job.awaitReady(2);
        assertThat(job.isAlive()).isTrue();
        job.stdin().write("go\n".getBytes(StandardCharsets.UTF_8));
        job.stdin().flush();
        ProcessOutcome ended = job.await();
        assertThat(ended.lastWords())
                .as("%s", ended)
                .contains("rank 1 failed first")
                .contains("rank 1 has read enough");
    }

    /// As from cron, or with `&` in a script.
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void runsWithoutStdin(Way way) throws Exception {
        way.require();
        List<String> words = Command.words(way, 2, List.of(), "Tells", "hello");
        ProcessOutcome ended =
                Command.of("sh", "-c", quoted(words) + " </dev/null & wait $!").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.sortedOut()).as("%s", ended).containsExactly("rank 0 of 2", "rank 1 of 2");
    }

    @Test
    void outputOfRanksIsNeverMixedWithinALine() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 3, List.of(), "Tells", "lines").run();
        assertThat(ended.code()).isZero();
        List<String> lines = ended.out().lines().toList();
        assertThat(lines).hasSize(300_000).allMatch(line -> line.matches("rank [012] of 3: line \\d+"));
        for (int rank : IntStream.range(0, 3).toArray()) {
            String prefix = "rank " + rank + " of 3: line ";
            List<String> mine =
                    lines.stream().filter(line -> line.startsWith(prefix)).toList();
            assertThat(mine).hasSize(100_000).last().isEqualTo(prefix + 99_999);
        }
    }
}
