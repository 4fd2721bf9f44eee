package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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

/// If ranks wait for a rank outside of Tutti's calls, the report begins with that rank and the activity of the
/// rank.
class BusyRankReportTest extends JobTest {
    private static final String PAGE =
            "tutti: stall: no rank has made progress for [0-9.]+ s: rank 0 waits for rank 1, which is ";
    private static final String SILENT = "unresponsive (its JVM does not answer)";
    private static final String REPORT = "tutti:   stacks of all ranks: ";

    private static Child start(String... program) {
        return start(Way.SHM, program);
    }

    private static Child start(Way way, String... program) {
        return Command.program(way, 2, List.of("--stall", "2"), arguments(program))
                .start();
    }

    private static String[] arguments(String... program) {
        String[] arguments = new String[program.length + 1];
        arguments[0] = "Doings";
        System.arraycopy(program, 0, arguments, 1, program.length);
        return arguments;
    }

    /// Waits until each job has reported the activity of rank 1, and ends the job. `texts` contains the
    /// expected text of each job.
    private static void assertReported(Map<Callable<Child>, String> texts) throws Exception {
        Map<Callable<Child>, Child> jobs = new LinkedHashMap<>();
        for (Callable<Child> start : texts.keySet()) jobs.put(start, start.call());
        for (Map.Entry<Callable<Child>, Child> job : jobs.entrySet()) {
            String expected = texts.get(job.getKey());
            ProcessOutcome ended = endAfterItsReport(job.getValue());
            // on a busy machine a rank may get no processor during the query
            if (ended.err().contains(SILENT)) {
                ended = until(
                        again -> !again.err().contains(SILENT),
                        () -> endAfterItsReport(job.getKey().call()));
            }
            assertThat(ended.code()).as("%s", ended).isEqualTo(143);
            assertThat(ended.err().lines())
                    .as("%s", ended)
                    .anyMatch(line -> line.matches(PAGE + expected + " \\(--stall\\):"))
                    .anyMatch(line -> line.matches("tutti: {3}rank 1: " + expected))
                    .noneMatch(line -> line.contains("deadlock"));
        }
    }

    private static ProcessOutcome endAfterItsReport(Child job) throws Exception {
        job.awaitErr(REPORT);
        Processes.signal("TERM", job.pid());
        return job.await();
    }

    @Test
    @Tag("ci")
    void aRankThatWaitsOutsideTuttiIsNamedWithTheLine() throws Exception {
        Path pipe = Checkout.scratch("doings").resolve("pipe");
        Files.deleteIfExists(pipe);
        assertThat(Command.of("mkfifo", pipe.toString()).run().code()).isZero();
        String at = " at Doings\\.java:\\d+";
        Map<Callable<Child>, String> jobs = new LinkedHashMap<>();
        jobs.put(() -> start("sleep"), "asleep \\(Thread\\.sleep\\)" + at);
        jobs.put(() -> start("read", pipe.toString()), "in file I/O \\(Files\\.readAllBytes\\)" + at);
        jobs.put(
                () -> start("lock"),
                "waiting for a lock \\(ReentrantLock\\.lock\\)" + at + ", which thread \"holder\" holds");
        jobs.put(
                () -> start("monitor"),
                "waiting for a lock \\(synchronized\\)" + at + ", which thread \"holder\" holds");
        jobs.put(() -> start("latch"), "waiting for another thread \\(CountDownLatch\\.await\\)" + at);
        jobs.put(() -> start("virtual"), "waiting for another thread \\(Thread\\.join\\)" + at);
        jobs.put(() -> start("process"), "waiting for a process to end \\(ProcessImpl\\.waitFor\\)" + at);
        jobs.put(() -> start("beforeInit"), "before Mpi\\.init, asleep \\(Thread\\.sleep\\)" + at);
        assertReported(jobs);
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void aBusyRankIsNamedWithTheCpuTime(Way way) throws Exception {
        Callable<Child> stopped = () -> {
            Child job = start(way, "sleep");
            Processes.signal("STOP", job.awaitReady(2).get(1));
            return job;
        };
        assertReported(Map.of(
                () -> start(way, "loop"),
                "in user code at Doings\\.java:\\d+, [0-9.]+ s of processor time in the last [0-9.]+ s",
                () -> start(way, "collect"),
                "in garbage collection.*",
                stopped,
                "stopped by a signal"));
    }

    /// Returns the contents of the file with the printed name.
    private static String read(ProcessOutcome dump) {
        try {
            return Files.readString(Path.of(dump.out().strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("full")
    void stallAbortStopsTheJob() throws Exception {
        ProcessOutcome ended = Command.program(Way.SHM, 2, List.of("--stall", "2", "--stall-abort"), "Doings", "sleep")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lastErrorLine())
                .as("%s", ended)
                .matches("tutti: stall: rank 0 waits for rank 1, which is asleep \\(Thread\\.sleep\\) at"
                        + " Doings\\.java:\\d+ \\(--stall-abort\\): exit code 1 after [0-9.]+ s; ranks 0 and 1 were"
                        + " stopped");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void theReportHasTheStacksOfAllRanks(Way way) throws Exception {
        Path logs = Checkout.scratch("logs-" + way);
        List<String> options = List.of("--stall", "0", "--output-dir", logs.toString());
        Child job = Command.program(way, 3, options, "Doings", "virtual").start();
        job.awaitReady(3);
        ProcessOutcome dump = until(
                asked -> asked.code() == 0 && read(asked).contains("\"delayed\" virtual TIMED_WAITING"),
                Command.tutti("dump", Long.toString(job.pid()))::run);
        assertThat(dump.code()).as("%s", dump).isZero();
        Path file = Path.of(dump.out().strip());
        assertThat(file.getParent()).isEqualTo(logs);
        assertThat(Files.readString(file))
                .startsWith("Tutti's report of job " + job.pid() + ", ")
                .contains(": requested\n" + (way == Way.SHM ? "shm" : "libmpi (" + way.library() + ")")
                        + ", 3 ranks: programs.Doings virtual\n")
                .containsPattern("== rank 0 \\(pid \\d+\\): in recv at Doings\\.java:\\d+")
                .containsPattern("== rank 1 \\(pid \\d+\\): in recv at Doings\\.java:\\d+")
                .containsPattern("== rank 2 \\(pid \\d+\\): waiting for another thread \\(Thread\\.join\\)")
                .containsPattern("\"main\" WAITING, called Mpi\\.init")
                .containsPattern("\"delayed\" virtual TIMED_WAITING")
                .contains("at programs.Doings.sleepLong(Doings.java:")
                .doesNotContain("tutti-watch")
                .doesNotContain("Common-Cleaner");
        Processes.signal("TERM", job.pid());
        job.await();
    }
}
