package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Jobs without progress: the report lists the waits of the ranks, and a slow program is not reported as a
/// deadlock. The jobs of a test run at the same time, because they only wait.
class StallTest extends JobTest {
    private static final List<String> SOON = List.of("--stall", "2");
    private static final long LONG_ENOUGH_FOR_A_PROOF_MILLIS = 5_000;

    private static Child start(int ranks, String... program) {
        return Command.program(Way.SHM, ranks, SOON, arguments(program)).start();
    }

    private static String[] arguments(String... program) {
        List<String> arguments = new ArrayList<>(List.of("Stalls"));
        arguments.addAll(List.of(program));
        return arguments.toArray(String[]::new);
    }

    @Test
    void theReportListsTheWaitOfEachRank() throws Exception {
        ProcessOutcome ended = start(2, "barrierAndReceive").await();
        assertThat(ended.err().lines())
                .as("%s", ended)
                .anyMatch(line -> line.matches("tutti: {3}rank 0: recv\\(source=1, tag=5\\) on WORLD for [0-9.]+ s,"
                        + " waits for rank 1 \\(Stalls.java:\\d+\\)"))
                .anyMatch(line -> line.matches("tutti: {3}rank 1: barrier\\(\\) on WORLD, call 2 for [0-9.]+ s,"
                        + " waits for rank 0 \\(Stalls.java:\\d+\\)"));
    }

    @Test
    @Tag("full")
    void theReportListsPartsThatAreNotReady() throws Exception {
        ProcessOutcome ended = start(2, "parts").await();
        assertThat(ended.err().lines())
                .as("%s", ended)
                .anyMatch(line -> line.matches("tutti: {3}rank 0: await of psendInit\\(8 INT in 4 partitions, dest=1,"
                        + " tag=3, partitions 2, 3 not ready\\) on WORLD for [0-9.]+ s, waits for rank 0"
                        + " \\(Stalls.java:\\d+\\)"));
    }

    /// There is no deadlock if a rank needs only one of several ranks, and one of these may still act.
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void slowProgramsAreNotDeadlocks(Way way) throws Exception {
        way.require();
        Map<String, Child> jobs = new LinkedHashMap<>();
        for (String program : way.isNative()
                ? List.of("sleeper", "virtual")
                : List.of("sleeper", "otherThread", "pool", "virtual", "lateParts")) {
            jobs.put(program, startWithInput(way, 2, program));
        }
        for (String program : List.of("anySource", "oneOfTwo")) jobs.put(program, startWithInput(way, 3, program));
        if (!way.isNative()) jobs.put("background", startWithInput(way, 5, "background"));
        long start = System.nanoTime();
        for (Child job : jobs.values()) job.awaitErr("tutti: stall: ");
        Thread.sleep(LONG_ENOUGH_FOR_A_PROOF_MILLIS);
        for (Child job : jobs.values()) goOn(job);
        for (Map.Entry<String, Child> job : jobs.entrySet()) {
            ProcessOutcome ended = job.getValue().await();
            assertThat(ended.code()).as("%s: %s", job.getKey(), ended).isZero();
            assertThat(ended.err()).as("%s: %s", job.getKey(), ended).doesNotContain("deadlock");
            assertStallIsReportedOnce(ended, (System.nanoTime() - start) * 1e-9);
        }
    }

    private static Child startWithInput(Way way, int ranks, String program) {
        return Command.program(way, ranks, SOON, arguments(program)).openInput().start();
    }

    private static void goOn(Child job) throws IOException {
        job.stdin().write('\n');
        job.stdin().flush();
    }

    @Test
    @Tag("full")
    void aStoppedRankIsNotADeadlock() throws Exception {
        Child pingPong = startWithInput(Way.SHM, 2, "pingPong");
        Child deadlock = start(2, "receives");
        long moving = pingPong.awaitReady(2).get(1);
        long waiting = deadlock.awaitReady(2).get(1);
        Processes.signal("STOP", moving);
        Processes.signal("STOP", waiting);
        pingPong.awaitErr("stopped by a signal");
        deadlock.awaitErr("stopped by a signal");
        Thread.sleep(LONG_ENOUGH_FOR_A_PROOF_MILLIS);
        assertThat(deadlock.isAlive()).as(deadlock.errSoFar()).isTrue();
        Processes.signal("CONT", moving);
        Processes.signal("CONT", waiting);
        goOn(pingPong);
        ProcessOutcome well = pingPong.await();
        assertThat(well.code()).as("%s", well).isZero();
        assertThat(well.err()).as("%s", well).doesNotContain("deadlock");
        assertThat(deadlock.await().lastErrorLine()).startsWith("tutti: deadlock: 0 recv←1");
    }

    @Test
    @Tag("full")
    void stall0PrintsNoReport() throws Exception {
        Child job = Command.program(Way.SHM, 2, List.of("--stall", "0"), arguments("receives"))
                .start();
        job.awaitReady(2);
        Thread.sleep(LONG_ENOUGH_FOR_A_PROOF_MILLIS);
        assertThat(job.isAlive()).isTrue();
        Processes.signal("TERM", job.pid());
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).as("%s", ended).doesNotContain("stall").doesNotContain("deadlock");
    }
}
