package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

/// `--max-restarts`: after a rank fails, all ranks are restarted, and no state of the failed attempt remains.
class RestartTest extends JobTest {
    private static Command command(Way way, int restarts, String... program) {
        return Command.program(way, 3, List.of("--max-restarts", Integer.toString(restarts)), program);
    }

    private static List<String> expectedLines(int tries) {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < tries; t++) {
            for (int rank = 0; rank < 3; rank++) lines.add("try " + t + ": rank " + rank + ", sum 3");
        }
        return lines;
    }

    /// Returns the output of all attempts, without lines of a native launcher.
    private static List<String> tries(ProcessOutcome outcome) {
        return outcome.sortedOut().stream()
                .filter(line -> line.startsWith("try "))
                .toList();
    }

    private static List<String> tuttiLines(ProcessOutcome outcome) {
        return outcome.err()
                .lines()
                .filter(line -> line.startsWith("tutti: ") && !line.startsWith("tutti: last operations of all ranks: "))
                .toList();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void successfulTryMakesJobSuccessful(Way way) throws Exception {
        boolean all = way == Way.SHM;
        ProcessOutcome outcome = command(way, 3, "Restarts", all ? "exception" : "halt", all ? "2" : "1")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(tries(outcome)).as("%s", outcome).isEqualTo(expectedLines(all ? 3 : 2));
        List<String> messages = tuttiLines(outcome);
        assertThat(messages).as("%s", outcome).hasSize(all ? 4 : 2);
        String why = all
                ? "java.lang.IllegalStateException: try 0 has failed at programs.Restarts.fail(Restarts.java:"
                : "it exited: exit code 1";
        assertThat(messages.getFirst()).startsWith("tutti: rank 1 failed first: " + why);
        assertThat(messages.get(1)).isEqualTo("tutti: restart 1 of 3");
    }

    @Test
    @Tag("full")
    void exitCodeOfLastTryIsReturned() throws Exception {
        ProcessOutcome outcome = command(Way.SHM, 1, "Restarts", "5", "9").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(6);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 1 failed first: ")
                .endsWith("; no restart is left (--max-restarts 1)");
        assertThat(tries(outcome)).as("%s", outcome).isEqualTo(expectedLines(2));
    }

    @Test
    void killedRankCausesRestart() throws Exception {
        ProcessOutcome outcome = command(Way.SHM, 1, "Restarts", "killed", "1").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).contains("SIGKILL").contains("tutti: restart 1 of 1\n");
    }

    @Test
    void interruptPreventsRestart() throws Exception {
        Child job = command(Way.SHM, 9, "Restarts", "sleep", "1").start();
        job.awaitOut("sleeps");
        Processes.signal("INT", job.pid());
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(130);
        assertThat(tuttiLines(outcome))
                .as("%s", outcome)
                .hasSize(1)
                .first()
                .asString()
                .startsWith("tutti: interrupted");
    }

    @Test
    @Tag("full")
    void timeoutCoversAllTries() throws Exception {
        List<String> options = List.of("--max-restarts", "1000", "--timeout", "20");
        ProcessOutcome outcome = Command.program(Way.SHM, 2, options, "Restarts", "slowly", "1000")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(124);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: its time of 20.0 s is over (--timeout)");
        assertThat(outcome.err()).as("%s", outcome).contains("tutti: restart 1 of 1000\n");
    }

    @Test
    void ranksThatCannotStartAreNotRestarted() throws Exception {
        List<String> options = List.of("--max-restarts", "3", "--jvm", "-agentlib:none");
        ProcessOutcome outcome = Command.program(Way.SHM, 2, options, "Restarts", "exception", "1")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(tuttiLines(outcome)).as("%s", outcome).hasSize(1);
    }

    @Test
    @Tag("full")
    void outputFilesContainAllTries() throws Exception {
        Path files = Checkout.scratch("tries");
        List<String> options = List.of("--max-restarts", "1", "--output-dir", files.toString());
        ProcessOutcome outcome = Command.program(Way.SHM, 2, options, "Restarts", "exception", "1")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(Files.readAllLines(files.resolve("rank-1.out")))
                .containsExactly("try 0: rank 1, sum 1", "try 1: rank 1, sum 1");
    }
}
