package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.testkit.job.Child;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Processes;
import org.tutti.testkit.job.Way;

/// Jobs that do not go on: a deadlock is named and ended, and nothing else is taken for one. Those of a
/// test run all at once, because what they do is wait.
class StallTest extends JobTest {
    private static final List<String> SOON = List.of("--stall", "2");
    private static final String LINE = " \\(Stalls\\.java:\\d+\\) → ";
    private static final long LONG_ENOUGH_FOR_A_PROOF_MILLIS = 5_000;

    private static Child start(int ranks, String... program) {
        return Command.program(Way.SHM, ranks, SOON, words(program)).start();
    }

    private static String[] words(String... program) {
        List<String> words = new ArrayList<>(List.of("Stalls"));
        words.addAll(List.of(program));
        return words.toArray(String[]::new);
    }

    @Test
    void aDeadlockIsNamedAndEnded() throws Exception {
        Map<String, String> cycles = new LinkedHashMap<>();
        Map<String, Child> jobs = new LinkedHashMap<>();
        cycles.put("two receives", "0 recv←1" + LINE + "1 recv←0" + LINE + "0");
        jobs.put("two receives", start(2, "receives"));
        cycles.put("three receives", "0 recv←1" + LINE + "1 recv←2" + LINE + "2 recv←0" + LINE + "0");
        jobs.put("three receives", start(3, "receives"));
        cycles.put("sends", "0 send→1" + LINE + "1 send→0" + LINE + "0");
        jobs.put("sends", start(2, "sends"));
        cycles.put("any source", "0 recv←any" + LINE + "1 recv←any" + LINE + "2 recv←any" + LINE + "0");
        jobs.put("any source", start(3, "anySource"));
        cycles.put("barrier and receive", "0 recv←1" + LINE + "1 barrier←0" + LINE + "0");
        jobs.put("barrier and receive", start(2, "barrierAndReceive"));
        cycles.put("two communicators", "0 allreduce←1" + LINE + "1 allreduce←0" + LINE + "0");
        jobs.put("two communicators", start(2, "crossedCommunicators"));
        cycles.put("probes", "0 probe←1" + LINE + "1 probe←0" + LINE + "0");
        jobs.put("probes", start(2, "probe"));
        cycles.put("one of two requests", "0 awaitAny←1" + LINE + "1 recv←0" + LINE + "0");
        jobs.put("one of two requests", start(2, "oneOfTwo"));
        cycles.put("parts that are not ready", "0 await→0" + LINE + "0");
        jobs.put("parts that are not ready", start(2, "parts"));
        cycles.put("one of two, in parts", "0 awaitAny→any" + LINE + "1 awaitAny→any" + LINE + "0");
        jobs.put("one of two, in parts", start(2, "anyOfParts"));
        cycles.put("two of four", "1 recv←2" + LINE + "2 recv←1" + LINE + "1");
        jobs.put("two of four", start(4, "pair"));
        for (Map.Entry<String, Child> job : jobs.entrySet()) {
            Ended ended = job.getValue().await();
            assertThat(ended.code()).as("%s: %s", job.getKey(), ended).isEqualTo(1);
            assertThat(ended.lastWords())
                    .as("%s: %s", job.getKey(), ended)
                    .matches("tutti: deadlock: " + cycles.get(job.getKey())
                            + ": exit code 1 after [0-9.]+ s; ranks? [0-9, -]+( and [0-9]+)? (was|were) stopped");
            assertThat(ended.err()).as("%s: %s", job.getKey(), ended).containsOnlyOnce("tutti: stall: ");
        }
    }

    @Test
    void thePageSaysWhatEachRankWaitsFor() throws Exception {
        Ended ended = start(2, "barrierAndReceive").await();
        assertThat(ended.err().lines())
                .as("%s", ended)
                .anyMatch(line -> line.matches("tutti: {3}rank 0: recv\\(source=1, tag=5\\) on WORLD for [0-9.]+ s,"
                        + " waits for rank 1 \\(Stalls.java:\\d+\\)"))
                .anyMatch(line -> line.matches("tutti: {3}rank 1: barrier\\(\\) on WORLD, call 2 for [0-9.]+ s,"
                        + " waits for rank 0 \\(Stalls.java:\\d+\\)"));
    }

    @Test
    void thePageSaysWhichPartsAreNotReady() throws Exception {
        Ended ended = start(2, "parts").await();
        assertThat(ended.err().lines())
                .as("%s", ended)
                .anyMatch(line -> line.matches("tutti: {3}rank 0: await of psendInit\\(8 INT in 4 partitions, dest=1,"
                        + " tag=3, partitions 2, 3 not ready\\) on WORLD for [0-9.]+ s, waits for rank 0"
                        + " \\(Stalls.java:\\d+\\)"));
    }

    @Test
    void whatIsSlowIsNoDeadlock() throws Exception {
        Map<String, Child> jobs = new LinkedHashMap<>();
        for (String program : List.of("sleeper", "otherThread", "pool", "virtual", "lateParts")) {
            jobs.put(program, startWithInput(2, program));
        }
        jobs.put("background", startWithInput(5, "background"));
        for (Child job : jobs.values()) job.awaitErr("tutti: stall: ");
        Thread.sleep(LONG_ENOUGH_FOR_A_PROOF_MILLIS);
        for (Child job : jobs.values()) goOn(job);
        for (Map.Entry<String, Child> job : jobs.entrySet()) {
            Ended ended = job.getValue().await();
            assertThat(ended.code()).as("%s: %s", job.getKey(), ended).isZero();
            assertThat(ended.err())
                    .as("%s: %s", job.getKey(), ended)
                    .containsOnlyOnce("tutti: stall: ")
                    .doesNotContain("deadlock");
        }
    }

    private static Child startWithInput(int ranks, String program) {
        return Command.program(Way.SHM, ranks, SOON, words(program)).openInput().start();
    }

    private static void goOn(Child job) throws IOException {
        job.stdin().write('\n');
        job.stdin().flush();
    }

    @Test
    void aRankThatIsStoppedForAWhileIsNoDeadlock() throws Exception {
        Child pingPong = startWithInput(2, "pingPong");
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
        Ended well = pingPong.await();
        assertThat(well.code()).as("%s", well).isZero();
        assertThat(well.err()).as("%s", well).doesNotContain("deadlock");
        assertThat(deadlock.await().lastWords()).startsWith("tutti: deadlock: 0 recv←1");
    }

    @Test
    void stall0SaysNothing() throws Exception {
        Child job = Command.program(Way.SHM, 2, List.of("--stall", "0"), words("receives"))
                .start();
        job.awaitReady(2);
        Thread.sleep(LONG_ENOUGH_FOR_A_PROOF_MILLIS);
        assertThat(job.isAlive()).isTrue();
        Processes.signal("TERM", job.pid());
        Ended ended = job.await();
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).as("%s", ended).doesNotContain("stall").doesNotContain("deadlock");
    }
}
