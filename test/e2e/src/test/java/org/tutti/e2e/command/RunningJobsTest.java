package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
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

/// Tests `tutti ps`, `stacks` and `dump` during and after a job. Other users may run jobs on the same machine.
class RunningJobsTest extends JobTest {
    private static final int KEPT = 20;

    private static ProcessOutcome tutti(String... arguments) throws Exception {
        return Command.tutti(arguments).run();
    }

    private static Child start(Way way, List<String> flags) throws Exception {
        List<String> arguments = Command.arguments(way, 2, List.of("--stall", "0"), "Doings", "sleep");
        Child job = Command.launcher(flags, arguments).start();
        job.awaitReady(2);
        return job;
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void aRunningJobIsListedAndInspected(Way way) throws Exception {
        Child job = start(way, List.of("--enable-native-access=ALL-UNNAMED"));
        assertIsFound(job, way == Way.SHM ? "shm" : "libmpi \\(" + way.library() + "\\)");
    }

    @Test
    @Tag("full")
    void aJobWithoutNativeAccessIsListed() throws Exception {
        assertIsFound(start(Way.SHM, List.of("-Dtutti.door=plain")), "shm");
    }

    private static void assertIsFound(Child job, String engine) throws Exception {
        String pid = Long.toString(job.pid());
        ProcessOutcome ps = until(asked -> asked.out().contains("; all joined"), () -> tutti("ps"));
        assertThat(ps.code()).as("%s", ps).isZero();
        assertThat(ps.out().lines())
                .as("%s", ps)
                .anyMatch(line -> line.matches(" *" + pid + " +0:\\d\\d:\\d\\d  " + engine
                        + ", 2 ranks: programs\\.Doings sleep; all joined.*"));
        ProcessOutcome stacks = until(
                asked -> asked.out().contains(": in recv at ") && asked.out().contains(": asleep "),
                () -> tutti("stacks", pid));
        assertThat(stacks.code()).as("%s", stacks).isZero();
        assertThat(stacks.out())
                .startsWith("Tutti's report of job " + pid + ", ")
                .containsPattern("== rank 0 \\(pid \\d+\\): in recv at Doings\\.java:\\d+")
                .containsPattern("== rank 1 \\(pid \\d+\\): asleep \\(Thread\\.sleep\\) at Doings\\.java:\\d+ ==\n"
                        + "\"main\" TIMED_WAITING, called Mpi\\.init\n");
        ProcessOutcome dump = tutti("dump", pid);
        assertThat(dump.code()).as("%s", dump).isZero();
        Path file = Path.of(dump.out().strip());
        assertThat(file).hasFileName("job-" + pid + ".txt");
        assertThat(Files.readString(file)).contains("asleep (Thread.sleep)");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        Processes.signal("TERM", job.pid());
        job.await();
    }

    @Test
    @Tag("ci")
    void anUnresponsiveRankIsDescribedFromOutside() throws Exception {
        Child job = Command.program(Way.SHM, 2, List.of("--stall", "0"), "Doings", "sleep")
                .start();
        Processes.signal("STOP", job.awaitReady(2).get(1));
        ProcessOutcome stacks = tutti("stacks", Long.toString(job.pid()));
        assertThat(stacks.code()).as("%s", stacks).isZero();
        assertThat(stacks.out())
                .containsPattern(
                        "== rank 1 \\(pid \\d+\\): stopped by a signal ==\n" + "    .+: [0-9.]+ s of processor time\n");
        Processes.signal("TERM", job.pid());
        job.await();
    }

    @Test
    @Tag("full")
    void aWrongNameListsTheJobs() throws Exception {
        Child one = start(Way.SHM, List.of("--enable-native-access=ALL-UNNAMED"));
        Child other = start(Way.SHM, List.of("--enable-native-access=ALL-UNNAMED"));
        String name = one.pid() + " (shm, 2 ranks: programs.Doings sleep)";
        for (String command : List.of("stacks", "dump")) {
            ProcessOutcome none = tutti(command);
            assertThat(none.code()).as("%s", none).isEqualTo(2);
            assertThat(none.lastErrorLine())
                    .startsWith("tutti: which job? the running jobs are ")
                    .contains(name);
            ProcessOutcome wrong = tutti(command, "1");
            assertThat(wrong.code()).as("%s", wrong).isEqualTo(2);
            assertThat(wrong.lastErrorLine())
                    .startsWith("tutti: there is no job 1; the running jobs are ")
                    .contains(name);
        }
        Processes.signal("TERM", one.pid());
        one.await();
        ProcessOutcome ended = tutti("stacks", Long.toString(one.pid()));
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.lastErrorLine())
                .matches("tutti: there is no job " + one.pid() + "; the (running )?jobs? .*")
                .contains(Long.toString(other.pid()))
                .doesNotContain(name);
        Processes.signal("TERM", other.pid());
        other.await();
    }

    @Test
    @Tag("full")
    void onlyTheNewestReportsRemain() throws Exception {
        Path directory = Files.createDirectories(Checkout.SCRATCH.resolve("cache/tutti/reports"));
        for (int i = 1; i <= KEPT + 5; i++) {
            Path old = Files.writeString(directory.resolve("job-" + -i + ".txt"), "old");
            Files.setLastModifiedTime(old, FileTime.fromMillis(1000L * i));
        }
        Child job = start(Way.SHM, List.of("--enable-native-access=ALL-UNNAMED"));
        Path file = Path.of(tutti("dump", Long.toString(job.pid())).out().strip());
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.toList())
                    .hasSize(KEPT)
                    .contains(file)
                    .doesNotContain(directory.resolve("job--1.txt"), directory.resolve("job--5.txt"));
        }
        Processes.signal("TERM", job.pid());
        job.await();
    }
}
