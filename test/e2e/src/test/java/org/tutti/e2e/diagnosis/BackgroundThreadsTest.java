package org.tutti.e2e.diagnosis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Ranks wait for each other while other threads exist. If the other threads belong to idle pools, the job ends
/// as a deadlock. If a thread may still make a call, or if ranks poll, the report states how the job can end.
/// Programs that are only slow finish normally. docs/mistakes.md shows the mistakes.
@Tag("ci")
class BackgroundThreadsTest extends JobTest {
    private static final Marked SOURCE = Marked.program("BackgroundThreads");
    private static final int AT_ONCE = 4;
    private static final String CYCLE = "ranks 0 and 1 wait for each other";

    /// For each program that ends as a deadlock, the call in the reported cycle.
    private static final Map<String, String> PROVEN =
            Map.of("executor", "recv←", "stream", "ssend→", "virtual", "recv←", "idleTimer", "recv←");

    private static final List<String> REPORTED = List.of("timer", "http", "test", "probe", "stage");
    private static final List<String> LEGAL = List.of("lateTask", "lateTimer", "pingPong", "testsAndComputes");

    private static Callable<ProcessOutcome> job(Way way, String program, String... options) {
        return Command.program(way, 2, List.of(options), "BackgroundThreads", program)::run;
    }

    private static boolean isTried(Way way, String program) {
        return Tier.FULL || way == Way.SHM || List.of("executor", "test").contains(program);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    void idlePoolsAllowADeadlockReport(Way way) throws Exception {
        way.require();
        Map<String, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        PROVEN.keySet().stream()
                .filter(program -> isTried(way, program))
                .forEach(program -> jobs.put(program, job(way, program, "--stall", "1", "--timeout", "300")));
        SoftAssertions all = new SoftAssertions();
        runAll(AT_ONCE, jobs).forEach((program, ended) -> {
            String line = " (" + SOURCE.line(program) + ") → ", step = PROVEN.get(program);
            all.assertThat(ended.code()).as("%s: %s", program, ended).isEqualTo(1);
            all.assertThat(ended.lastErrorLine())
                    .as("%s: %s", program, ended)
                    .startsWith(
                            "tutti: deadlock: 0 " + step + "1" + line + "1 " + step + "0" + line + "0: exit code 1");
            if (way == Way.SHM && !List.of("virtual", "idleTimer").contains(program)) checkPage(program, ended, all);
        });
        all.assertAll();
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    void uncertainDeadlocksAreReported(Way way) throws Exception {
        way.require();
        Map<String, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (String program : REPORTED) {
            if (!isTried(way, program)) continue;
            // on a busy machine the report may be printed before the two ranks have published the waits
            jobs.put(program, () -> until(end -> end.err().contains(CYCLE), () -> terminatedAfterReport(way, program)));
        }
        SoftAssertions all = new SoftAssertions();
        runAll(AT_ONCE, jobs).forEach((program, ended) -> {
            all.assertThat(ended.code()).as("%s: %s", program, ended).isEqualTo(program.equals("probe") ? 1 : 143);
            all.assertThat(ended.err())
                    .as("%s: %s", program, ended)
                    .contains("stall: no rank has made progress for ", CYCLE, SOURCE.line(program))
                    .doesNotContain("deadlock");
            if (way == Way.SHM) checkPage(program, ended, all);
        });
        all.assertAll();
    }

    /// Ends a job that would continue after the report.
    private static ProcessOutcome terminatedAfterReport(Way way, String program) throws Exception {
        List<String> options = List.of("--stall", "2");
        if (program.equals("probe"))
            return job(way, program, "--stall", "2", "--stall-abort").call();
        Child job =
                Command.program(way, 2, options, "BackgroundThreads", program).start();
        job.awaitErr("stacks of all ranks: ");
        Processes.signal("TERM", job.pid());
        return job.await();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void slowProgramsFinish(Way way) throws Exception {
        way.require();
        Map<String, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (String program : LEGAL) jobs.put(program, job(way, program, "--stall", "1", "--timeout", "300"));
        SoftAssertions all = new SoftAssertions();
        runAll(2, jobs).forEach((program, ended) -> {
            all.assertThat(ended.code()).as("%s: %s", program, ended).isZero();
            if (program.equals("testsAndComputes")) {
                all.assertThat(ended.err()).as("%s: %s", program, ended).doesNotContain("stall");
            }
        });
        all.assertAll();
    }

    private static void checkPage(String program, ProcessOutcome ended, SoftAssertions all) {
        MistakesPage page = MistakesPage.of("BackgroundThreads", program);
        List<String> source = SOURCE.lines().stream()
                .map(line -> line.replaceFirst(" // .*", "").strip())
                .toList();
        all.assertThat(source).as("docs/mistakes.md, %s", program).containsSequence(page.code());
        all.assertThat(page.printed())
                .as("docs/mistakes.md, %s: %s", program, ended)
                .isNotEmpty()
                .allMatch(line -> MistakesPage.isPrinted(ended.err(), line, List.of("rank 0"), List.of("rank 1")));
    }
}
