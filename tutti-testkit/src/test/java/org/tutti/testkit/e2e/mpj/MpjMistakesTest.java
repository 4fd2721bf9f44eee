package org.tutti.testkit.e2e.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Way;
import org.tutti.testkit.job.Ways;

/// A mistake in a program for MPJ Express gets the report that it would get in Tutti's own API, with the
/// program's line.
class MpjMistakesTest extends JobTest {
    private static Ended mistake(Way way, String which) throws Exception {
        return MpjPrograms.job(way, 2, List.of("--stall", "2"), List.of(), "MpjMistake", which)
                .run();
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void aDeadlockNamesTheProgramsLine(Way way) throws Exception {
        Ended ended = mistake(way, "deadlock");
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.err())
                .as("%s", ended)
                .contains("rank 0: recv(source=1, tag=7) on WORLD", "(MpjMistake.java:12)")
                .contains("tutti: deadlock: ");
    }

    @Test
    void callsThatDoNotMatchAreNamedWithTheirLines() throws Exception {
        Ended ended = mistake(Way.SHM, "mismatch");
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.err()).as("%s", ended).contains("MpjMistake.java:15", "MpjMistake.java:16");
    }

    @Test
    void whatNobodyCatchesEndsTheJobWithItsLine() throws Exception {
        Ended ended = mistake(Way.SHM, "uncaught");
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.lastWords())
                .as("%s", ended)
                .contains(
                        "rank 1 failed first: mpi.MPIException: Send: buf: offset=1, count=2 do not lie in an array of 2",
                        "MpjMistake.java:19");
    }

    @Test
    @Tag("full")
    void aProgramCannotCatchTheEndOfItsJob() throws Exception {
        Ended ended = mistake(Way.SHM, "caught");
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.out()).as("%s", ended).doesNotContain("went on");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void abortEndsTheJobWithItsCode(Way way) throws Exception {
        Ended ended = mistake(way, "abort");
        assertThat(ended.code()).as("%s", ended).isEqualTo(9);
    }

    /// A fat jar, say, brings the original along.
    @Test
    void anotherImplementationOnTheClassPathIsNamed() throws Exception {
        Path other = Checkout.scratch("other");
        Files.createDirectories(other.resolve("META-INF"));
        Files.createFile(other.resolve("META-INF/org.tutti.compat"));
        Ended ended = MpjPrograms.job(Way.SHM, 1, List.of(), List.of(other.toString()), "MpjRing")
                .run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.lastWords())
                .as("%s", ended)
                .contains("there are two implementations of package mpi on the class path", other.toString());
    }
}
