package org.tutti.testkit.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Child;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Processes;
import org.tutti.testkit.job.Sandbox;
import org.tutti.testkit.job.Way;
import org.tutti.testkit.job.Ways;

/// Signals to the launcher and the library's own launcher at once, as a terminal sends them. While such jobs end,
/// another one runs, whose files nobody touches.
@Tag("ci")
class ResidueTest extends JobTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    void nothingIsLeftAfterSignalsToAllLaunchers(Way way) throws Exception {
        Child other = start(way);
        other.awaitReady(2);
        Set<String> others = Sandbox.common().content();
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
        // ranks look for their launcher once a second
        long end = System.nanoTime() + LIMIT_NANOS;
        Set<String> left = Sandbox.common().content();
        while (!left.equals(others) && System.nanoTime() - end < 0) {
            Thread.sleep(50);
            left = Sandbox.common().content();
        }
        assertThat(left).isEqualTo(others);
        Processes.signal("TERM", other.pid());
        assertThat(other.awaitCode()).isEqualTo(143);
    }

    /// In a process group of its own, which does not ignore SIGINT, whatever the build was started by.
    private static Child start(Way way) {
        List<String> words = new ArrayList<>(List.of("setsid", "env", "--default-signal=INT", Checkout.java()));
        words.addAll(List.of("-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        words.addAll(List.of("-cp", Checkout.classPathText(), "org.tutti.cli.Main"));
        words.addAll(Command.words(way, 2, List.of("--stall", "0"), "Waits", "sleep"));
        return Command.of(words).start();
    }
}
