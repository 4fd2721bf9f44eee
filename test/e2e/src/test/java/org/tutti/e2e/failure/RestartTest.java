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

/// `--max-restarts`: after a rank fails, all ranks are restarted, and no state of the failed try remains.
class RestartTest extends JobTest {
    private static Command command(Way way, int restarts, String... program) {
        return Command.program(way, 3, List.of("--max-restarts", Integer.toString(restarts)), program);
    }

    private static List<String> ofTries(int tries) {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < tries; t++) {
            for (int rank = 0; rank < 3; rank++) lines.add("try " + t + ": rank " + rank + ", sum 3");
        }
        return lines;
    }

    /// Returns the output of the tries without lines of a native launcher.
    private static List<String> tries(ProcessOutcome ended) {
        return ended.sortedOut().stream()
                .filter(line -> line.startsWith("try "))
                .toList();
    }

    private static List<String> wordsOfTutti(ProcessOutcome ended) {
        return ended.err()
                .lines()
                .filter(line -> line.startsWith("tutti: ") && !line.startsWith("tutti: last operations of all ranks: "))
                .toList();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void theLastTryThatGoesWellEndsTheJobWell(Way way) throws Exception {
        boolean all = way == Way.SHM;
        ProcessOutcome ended = command(way, 3, "Restarts", all ? "exception" : "halt", all ? "2" : "1")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(tries(ended)).as("%s", ended).isEqualTo(ofTries(all ? 3 : 2));
        List<String> said = wordsOfTutti(ended);
        assertThat(said).as("%s", ended).hasSize(all ? 4 : 2);
        String why = all
                ? "java.lang.IllegalStateException: try 0 has failed at programs.Restarts.fail(Restarts.java:"
                : "it exited: exit code 1";
        assertThat(said.getFirst()).startsWith("tutti: rank 1 failed first: " + why);
        assertThat(said.get(1)).isEqualTo("tutti: restart 1 of 3");
    }

    @Test
    @Tag("full")
    void theExitCodeIsTheLastTrys() throws Exception {
        ProcessOutcome ended = command(Way.SHM, 1, "Restarts", "5", "9").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(6);
        assertThat(ended.lastWords())
                .as("%s", ended)
                .startsWith("tutti: rank 1 failed first: ")
                .endsWith("; no restart is left (--max-restarts 1)");
        assertThat(tries(ended)).as("%s", ended).isEqualTo(ofTries(2));
    }

    @Test
    void aKilledRankIsAFailureToo() throws Exception {
        ProcessOutcome ended = command(Way.SHM, 1, "Restarts", "killed", "1").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).contains("SIGKILL").contains("tutti: restart 1 of 1\n");
    }

    @Test
    void interruptEndsItForGood() throws Exception {
        Child job = command(Way.SHM, 9, "Restarts", "sleep", "1").start();
        job.awaitOut("sleeps");
        Processes.signal("INT", job.pid());
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(130);
        assertThat(wordsOfTutti(ended))
                .as("%s", ended)
                .hasSize(1)
                .first()
                .asString()
                .startsWith("tutti: interrupted");
    }

    @Test
    @Tag("full")
    void theTimeIsThatOfAllTries() throws Exception {
        List<String> options = List.of("--max-restarts", "1000", "--timeout", "20");
        ProcessOutcome ended = Command.program(Way.SHM, 2, options, "Restarts", "slowly", "1000")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(124);
        assertThat(ended.lastWords()).as("%s", ended).startsWith("tutti: its time of 20.0 s is over (--timeout)");
        assertThat(ended.err()).as("%s", ended).contains("tutti: restart 1 of 1000\n");
    }

    @Test
    void ranksThatCannotBeginAreNotStartedAgain() throws Exception {
        List<String> options = List.of("--max-restarts", "3", "--jvm", "-agentlib:none");
        ProcessOutcome ended = Command.program(Way.SHM, 2, options, "Restarts", "exception", "1")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(wordsOfTutti(ended)).as("%s", ended).hasSize(1);
    }

    @Test
    @Tag("full")
    void theFilesOfRanksHaveAllTries() throws Exception {
        Path files = Checkout.scratch("tries");
        List<String> options = List.of("--max-restarts", "1", "--output-dir", files.toString());
        ProcessOutcome ended = Command.program(Way.SHM, 2, options, "Restarts", "exception", "1")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(Files.readAllLines(files.resolve("rank-1.out")))
                .containsExactly("try 0: rank 1, sum 1", "try 1: rank 1, sum 1");
    }
}
