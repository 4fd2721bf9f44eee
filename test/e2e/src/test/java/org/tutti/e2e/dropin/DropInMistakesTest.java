package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// A mistake in a program for an older API gets the same report as in a program for Tutti, with the line of the
/// program. The programs for the two APIs have the same lines.
class DropInMistakesTest extends JobTest {
    private static Command command(DropInPrograms api, Way way, String stall, String which) throws Exception {
        return api.job(way, 2, List.of("--stall", stall), List.of(), api.prefix + "Mistake", which);
    }

    private static ProcessOutcome mistake(DropInPrograms api, Way way, String which) throws Exception {
        ProcessOutcome ended = command(api, way, "2", which).run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        return ended;
    }

    private static String line(DropInPrograms api, int number) {
        return api.prefix + "Mistake.java:" + number;
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aDeadlockNamesTheProgramsLine(Way way) throws Exception {
        for (DropInPrograms api : DropInPrograms.values()) {
            ProcessOutcome ended = mistake(api, way, "deadlock");
            assertThat(ended.err())
                    .as("%s", ended)
                    .contains("rank 0: recv(source=1, tag=7) on WORLD", "(" + line(api, 12) + ")")
                    .contains("tutti: deadlock: ");
        }
    }

    @ParameterizedTest
    @EnumSource
    void mismatchedCallsAreNamedWithLines(DropInPrograms api) throws Exception {
        ProcessOutcome ended = mistake(api, Way.SHM, "mismatch");
        assertThat(ended.err())
                .as("%s", ended)
                .contains("first difference: ", line(api, 15), "rank 1 barrier() at " + line(api, 16));
    }

    @ParameterizedTest
    @EnumSource
    void anUncaughtExceptionNamesTheLine(DropInPrograms api) throws Exception {
        ProcessOutcome ended = mistake(api, Way.SHM, "uncaught");
        String error = switch (api) {
            case OPENMPI ->
                "java.lang.ArrayIndexOutOfBoundsException: count=3 of MPI_INT32_T reach beyond a buffer of 8 bytes";
            case MPJ -> "mpi.MPIException: Send: buf: offset=1, count=2 are not within an array of 2";
        };
        assertThat(ended.lastErrorLine())
                .as("%s", ended)
                .contains("rank 1 failed first: " + error, "main(" + line(api, 19) + ")");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aRankThatIsKilledIsNamed(Way way) throws Exception {
        for (DropInPrograms api : DropInPrograms.values()) {
            Child job = command(api, way, "0", "kill").start();
            Map<Integer, Long> ranks = job.awaitReady(2);
            Processes.signal("KILL", ranks.get(1));
            ProcessOutcome ended = job.await();
            assertThat(ended.code()).as("%s", ended).isEqualTo(137);
            assertThat(ended.lastErrorLine())
                    .as("%s", ended)
                    .startsWith("tutti: rank 1 failed first: it was killed (SIGKILL")
                    .contains("pid " + ranks.get(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void aProgramCannotCatchTheEndOfTheJob(DropInPrograms api) throws Exception {
        ProcessOutcome ended = mistake(api, Way.SHM, "caught");
        assertThat(ended.out()).as("%s", ended).doesNotContain("continued");
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void abortExitsWithTheCode(Way way) throws Exception {
        for (DropInPrograms api : DropInPrograms.values()) {
            ProcessOutcome ended = mistake(api, way, "abort");
            assertThat(ended.code()).as("%s", ended).isEqualTo(9);
        }
    }

    @Test
    @Tag("full")
    void theSameBufferForBothPartsOfANonblockingScatterIsReported() throws Exception {
        ProcessOutcome ended = mistake(DropInPrograms.OPENMPI, Way.SHM, "aliased");
        assertThat(ended.lastErrorLine())
                .as("%s", ended)
                .contains(
                        "rank 0 failed first: MPI_ERR_BUFFER: iScatterv: the root passes the same buffer as the send and"
                                + " the receive buffer; pass only the send buffer",
                        "at " + line(DropInPrograms.OPENMPI, 49));
    }

    /// An error ends the job with the error class as the exit code, or, with `ERRORS_RETURN`, is thrown to the
    /// caller.
    @Test
    @Tag("full")
    void errorsAreFatalUnlessTheyReturn() throws Exception {
        String error = "MPI_ERR_RANK: send: dest=5 is not a rank of WORLD, which has ranks 0 to 1 (rank 1 of 2, WORLD)";
        ProcessOutcome fatal = mistake(DropInPrograms.OPENMPI, Way.SHM, "fatal");
        assertThat(fatal.code()).as("%s", fatal).isEqualTo(6);
        assertThat(fatal.lastErrorLine())
                .as("%s", fatal)
                .contains("rank 1 failed first: " + error, "at " + line(DropInPrograms.OPENMPI, 27));
        ProcessOutcome returned = mistake(DropInPrograms.OPENMPI, Way.SHM, "returned");
        assertThat(returned.lastErrorLine())
                .as("%s", returned)
                .contains("rank 1 failed first: mpi.MPIException: " + error, line(DropInPrograms.OPENMPI, 32));
    }

    /// The class path contains a second implementation, for example a fat jar with the original.
    @ParameterizedTest
    @EnumSource
    void aSecondImplementationOnTheClassPathIsNamed(DropInPrograms api) throws Exception {
        Path other = Checkout.scratch("other");
        Files.createDirectories(other.resolve("META-INF"));
        Files.createFile(other.resolve("META-INF/org.tutti.compat"));
        ProcessOutcome ended = api.job(Way.SHM, 1, List.of(), List.of(other.toString()), api.prefix + "Ring")
                .run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.lastErrorLine())
                .as("%s", ended)
                .contains("the class path contains two implementations of package mpi", other.toString());
    }
}
