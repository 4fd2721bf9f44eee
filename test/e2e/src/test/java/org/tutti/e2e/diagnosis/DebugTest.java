package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

/// Ranks to which a debugger can attach: the command prints instructions, and meanwhile no stall or timeout is
/// reported.
class DebugTest extends JobTest {
    private static final long LONGER_THAN_WATCHDOGS_MILLIS = 5_000;
    private static final List<String> WATCHED = List.of("--timeout", "4", "--stall", "1");
    private static final Pattern HOW = Pattern.compile("tutti: rank (\\d) (waits|listens) for a debugger at"
            + " 127\\.0\\.0\\.1:(\\d+) \\(pid (\\d+)\\): jdb -attach 127\\.0\\.0\\.1:\\3, or in an IDE Remote JVM Debug,"
            + " attach, host 127\\.0\\.0\\.1, port \\3");

    private static Child start(Way way, int ranks, List<String> debug) {
        List<String> options = new ArrayList<>(WATCHED);
        options.addAll(debug);
        return Command.program(way, ranks, options, "Doings", "sleep").start();
    }

    private static Matcher how(Child job) throws Exception {
        job.awaitErr("Remote JVM Debug");
        Matcher how = HOW.matcher(job.errSoFar());
        assertThat(how.find()).as(job.errSoFar()).isTrue();
        return how;
    }

    private static void type(Child jdb, String line) throws IOException {
        jdb.stdin().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        jdb.stdin().flush();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aRankContinuesAfterTheDebuggerDetaches(Way way) throws Exception {
        Child job = start(way, 2, List.of("--debug", "1"));
        Matcher how = how(job);
        assertThat(how.group(1) + how.group(2)).isEqualTo("1waits");
        Thread.sleep(LONGER_THAN_WATCHDOGS_MILLIS);
        assertThat(job.isAlive()).as(job.errSoFar()).isTrue();

        String jdbPath = Path.of(Checkout.java()).resolveSibling("jdb").toString();
        Child jdb = Command.of(jdbPath, "-attach", "127.0.0.1:" + how.group(3))
                .openInput()
                .start();
        jdb.awaitOut("main[1]");
        type(jdb, "stop in programs.Doings.something");
        jdb.awaitOut("Deferring breakpoint");
        type(jdb, "cont");
        jdb.awaitOut("Breakpoint hit");
        Thread.sleep(LONGER_THAN_WATCHDOGS_MILLIS);
        assertThat(job.isAlive()).as(job.errSoFar()).isTrue();
        assertThat(job.errSoFar()).contains("tutti: rank 1 has its debugger\n").doesNotContain("tutti: stall");
        type(jdb, "quit");
        jdb.await();

        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(124);
        assertThat(ended.out()).as("%s", ended).doesNotContain("dt_socket");
        assertThat(ended.err())
                .as("%s", ended)
                .contains("tutti: rank 1 has lost its debugger\n")
                .contains("tutti: rank 1: asleep (Thread.sleep)");
        assertThat(ended.lastErrorLine()).startsWith("tutti: its time of 4.0 s is over (--timeout)");
    }

    @Test
    @Tag("full")
    void allRanksMayListenAndNoneWait() throws Exception {
        List<String> options = List.of("--debug", "all", "--debug-nosuspend");
        List<String> quietly = new ArrayList<>(options);
        // long enough for the launcher to detect the ports of the ranks
        quietly.addAll(List.of("--quiet", "--timeout", "2"));
        ProcessOutcome quiet =
                Command.program(Way.SHM, 2, quietly, "Waits", "sleep").run();
        assertThat(quiet.err()).doesNotContain("debugger");
        Child loud = Command.program(Way.SHM, 2, options, "Waits", "sleep").start();
        loud.awaitErr("tutti: rank 0 listens");
        loud.awaitErr("tutti: rank 1 listens");
        Processes.signal("TERM", loud.pid());
        ProcessOutcome ended = loud.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(143);
        assertThat(HOW.matcher(ended.err()).results().map(how -> how.group(1) + how.group(2)))
                .as("%s", ended)
                .containsExactlyInAnyOrder("0listens", "1listens");
    }

    @Test
    @Tag("ci")
    void aSuspendedJobCanBeStopped() throws Exception {
        Child job = start(Way.SHM, 3, List.of("--debug", "0,2"));
        how(job);
        Processes.signal("TERM", job.pid());
        assertThat(job.await().code()).isEqualTo(143);
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("ci")
    void aKilledLauncherStopsRanksThatAwaitADebugger(Way way) throws Exception {
        Child job = start(way, 2, List.of("--debug", "all"));
        how(job);
        Processes.signal("KILL", job.pid());
        assertThat(job.awaitCode()).isEqualTo(137);
        assertNothingIsLeft();
    }
}
