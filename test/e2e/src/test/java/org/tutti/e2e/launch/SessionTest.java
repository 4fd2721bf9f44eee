package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Sessions of processes: before and after the rank's world, and without a world.
class SessionTest extends JobTest {
    private static ProcessOutcome run(Way way, int ranks, String... arguments) throws Exception {
        String[] program = new String[arguments.length + 1];
        program[0] = "Sessions";
        System.arraycopy(arguments, 0, program, 1, arguments.length);
        return Command.program(way, ranks, List.of(), program).run();
    }

    private static String successfulOutput(ProcessOutcome outcome) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        return outcome.out();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void programMayUseOnlySessions(Way way) throws Exception {
        assertThat(successfulOutput(run(way, 3, "only"))).isEqualTo("only, 3\n");
        assertThat(successfulOutput(run(way, 2, "threads"))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    void manySessionsBeforeDuringAndAfterWorld(Way way) throws Exception {
        assertThat(successfulOutput(run(way, 2, "around", Tier.FULL ? "1000" : "5")))
                .isEqualTo("around, 2\n");
    }

    @Test
    @Tag("full")
    void processWithoutLauncherMayOpenSessions() throws Exception {
        assertThat(successfulOutput(Command.of(List.of(
                                Checkout.java(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                Checkout.classPathText() + ":" + Checkout.PROGRAMS,
                                "programs.Sessions",
                                "around",
                                "3"))
                        .run()))
                .isEqualTo("around, 1\n");
    }

    @Test
    @Tag("ci")
    void openSessionsAndLostMessagesAreReported() throws Exception {
        ProcessOutcome open = run(Way.SHM, 2, "open");
        assertThat(open.code()).as("%s", open).isEqualTo(1);
        assertThat(open.err())
                .contains("failed first: it ended while a session was open, opened at Sessions.java:")
                .contains(": exit code 1");

        ProcessOutcome lost = run(Way.SHM, 2, "lost");
        assertThat(lost.code()).as("%s", lost).isEqualTo(1);
        assertThat(lost.err())
                .contains("close: 1 message was never received: 1 INT from rank 0, tag 5, lost; "
                        + "receive every message before close (rank 1 of 2, WORLD)");
    }

    /// The trace is written when the JVM ends, after the rank has left the job.
    @Test
    @Tag("full")
    void tracedSessionsExit() throws Exception {
        Path trace = Checkout.scratch("sessions").resolve("trace.json");
        for (String how : List.of("only", "exitsWell")) {
            ProcessOutcome outcome = Command.program(Way.SHM, 2, List.of("--trace", trace.toString()), "Sessions", how)
                    .run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.err()).as("%s", outcome).startsWith("tutti: the trace is in ");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void pendingRequestFailsClose(Way way) throws Exception {
        ProcessOutcome pending = run(way, 2, "pending");
        assertThat(pending.code()).as("%s", pending).isEqualTo(1);
        assertThat(pending.err())
                .contains("close: 1 request is pending: irecv(1 INT, source=0, tag=0) at Sessions.java:")
                .doesNotContain("while a session was open");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void failureInSessionStopsJob(Way way) throws Exception {
        ProcessOutcome fails = run(way, 3, "fails");
        assertThat(fails.code()).as("%s", fails).isEqualTo(1);
        assertThat(fails.err())
                .contains("rank 0 failed first: java.lang.IllegalStateException: enough")
                .doesNotContain("a session was");
        ProcessOutcome exits = run(way, 2, "exits");
        assertThat(exits.code()).as("%s", exits).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void closedRankCannotOpenSession(Way way) throws Exception {
        assertThat(successfulOutput(run(way, 2, "afterTheWorld")).lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("open: this rank has left the job by Mpi.close at Sessions.java:"));
    }
}
