package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Sandbox;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.job.environment.RankEnvironment;

/// After a signal ends the launcher or a rank of an MPI library, no file remains in /tmp and /dev/shm.
@Tag("ci")
class ResidueTest extends JobTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /// Sends the signal to the whole process group, as a terminal does. A second job runs at the same time, and
    /// its files must remain.
    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    void noResidueAfterSignalsToLaunchers(Way way) throws Exception {
        Child second = start(way);
        second.awaitReady(2);
        Set<String> expected = Sandbox.common().content();
        List<Child> jobs = new ArrayList<>();
        for (String signal : new String[] {"INT", "KILL"}) {
            Child job = start(way);
            jobs.add(job);
            job.awaitReady(2);
            assertThat(new ProcessBuilder("kill", "-" + signal, "--", "-" + job.pid())
                            .start()
                            .waitFor())
                    .isZero();
        }
        assertThat(jobs.get(0).awaitCode()).isEqualTo(130);
        assertThat(jobs.get(1).awaitCode()).isEqualTo(137);
        // ranks check once per second whether the launcher is alive
        long end = System.nanoTime() + LIMIT_NANOS;
        Set<String> remaining = Sandbox.common().content();
        while (!remaining.equals(expected) && System.nanoTime() - end < 0) {
            Thread.sleep(50);
            remaining = Sandbox.common().content();
        }
        assertThat(remaining).isEqualTo(expected);
        Processes.signal("TERM", second.pid());
        assertThat(second.awaitCode()).isEqualTo(143);
    }

    /// MPICH removes the shared file of the startup when all ranks have mapped the file. Rank 2 is stopped, so
    /// the other ranks wait, and the file exists when a rank is killed.
    @ParameterizedTest
    @CsvSource({"KILL, 0, 137", "ABRT, 1, 134"})
    void rankMayExitWhileMpichStarts(String signal, int victim, int code) throws Exception {
        Child job = Command.program(Way.MPICH, 3, List.of("--stall", "0"), "Waits", "sleep")
                .start();
        // the file exists for milliseconds: if the test misses it, the job has already started
        while (job.outSoFar().isEmpty() && Sandbox.common().content().stream().noneMatch(n -> n.contains("mpich_shar")))
            Thread.onSpinWait();
        signalRank("STOP", 2);
        Thread.sleep(600); // the launcher polls four times per second
        signalRank(signal, victim);
        assertThat(job.awaitCode()).as("%s%n%s", job.outSoFar(), job.errSoFar()).isEqualTo(code);
        assertThat(job.errSoFar()).contains("tutti: rank " + victim + " failed first: it ");
        ignoreFiles("ucx_shm_posix_"); // a file that only the killed rank has mapped may remain
        assertNothingIsLeft();
    }

    private static void signalRank(String signal, int rank) throws Exception {
        for (long pid : Processes.alive()) if (isRank(pid, rank)) Processes.signal(signal, pid);
    }

    private static boolean isRank(long pid, int rank) {
        try {
            Path process = Path.of("/proc", Long.toString(pid));
            String environment = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return command.startsWith(Checkout.java())
                    && (environment + "\0").contains("\0" + RankEnvironment.RANK + "=" + rank + "\0");
        } catch (IOException e) {
            return false; // the process has ended
        }
    }

    /// Starts the job in a separate process group that does not ignore SIGINT, regardless of the process that
    /// started the build.
    private static Child start(Way way) {
        List<String> arguments = new ArrayList<>(List.of("setsid", "env", "--default-signal=INT", Checkout.java()));
        arguments.addAll(List.of("-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        arguments.addAll(List.of("-cp", Checkout.classPathText(), "org.tutti.cli.Main"));
        arguments.addAll(Command.arguments(way, 2, List.of("--stall", "0"), "Waits", "sleep"));
        return Command.of(arguments).start();
    }
}
