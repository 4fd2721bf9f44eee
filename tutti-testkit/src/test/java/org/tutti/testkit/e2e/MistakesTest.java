package org.tutti.testkit.e2e;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Marked;
import org.tutti.testkit.job.Way;

/// The twelve classic bugs: with the options that `tutti run` has by default each ends by itself, not
/// with 0, and says which ranks made which calls with which values, and where.
///
/// The words are the same over a library and on shared memory. The jobs of one way run a few at a time.
class MistakesTest extends JobTest {
    private static final int AT_ONCE = 3;

    /// What does not end by itself ends with 124.
    private static final List<String> OPTIONS = List.of("--timeout", "40");

    private static final Marked SOURCE = Marked.program("TwelveBugs");

    /// @param words what the last line says, on every way
    private record Bug(String name, List<String> words) {
        Bug(String name, String... words) {
            this(name, List.of(words));
        }

        /// The lines that make it, of both ranks.
        List<String> lines() {
            return SOURCE.lines(name + ": ");
        }
    }

    private static final List<Bug> BUGS = List.of(
            new Bug("root", both("bcast(4 INT, root=0)", "bcast(4 INT, root=1)")),
            new Bug("op", both("allreduce(4 INT, SUM)", "allreduce(4 INT, MAX)")),
            new Bug("count", both("allreduce(4 INT, SUM)", "allreduce(8 INT, SUM)")),
            new Bug("countbig", both("allreduce(20000 INT, SUM)", "allreduce(40000 INT, SUM)")),
            new Bug("mix", both("barrier()", "allreduce(1 INT, SUM)")),
            new Bug(
                    "dtype",
                    "recv: message from rank 0, tag 3, holds 4 INT, the buffer is of FLOAT (rank 1 of 2, WORLD)"),
            new Bug(
                    "trunc",
                    "recv: message of 16 INT (64 bytes) from rank 0, tag 3, does not fit into the buffer of 4 INT"
                            + " (16 bytes) (rank 1 of 2, WORLD)"),
            new Bug(
                    "dead",
                    "tutti: deadlock: 0 recv←1 (" + SOURCE.line("dead: rank 0") + ") → 1 recv←0 ("
                            + SOURCE.line("dead: rank 1") + ") → 0: "),
            new Bug(
                    "early",
                    "recv: waits for rank 0, which has left the job by Mpi.close and sends nothing more"
                            + " (rank 1 of 2, WORLD)"),
            new Bug("skip", both("allreduce(1 INT, SUM)", "barrier()")),
            new Bug("leak", "irecv(1 INT, source=1, tag=77) at " + SOURCE.line("leak: rank 0"), "(rank 0 of 2, WORLD)"),
            new Bug("lost", "1 message was never received: 1 INT from rank 0, tag 5, WORLD"));

    /// Of a collective call that does not match, whichever rank sees it.
    private static String[] both(String call0, String call1) {
        return new String[] {"collective call 1 of WORLD does not match: ", "rank 0 ", call0, "rank 1 ", call1};
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void theTwelveBugsExplainThemselves(Way way) throws Exception {
        way.require();
        Map<Bug, Callable<Ended>> jobs = new LinkedHashMap<>();
        for (Bug bug : BUGS) jobs.put(bug, Command.program(way, 2, OPTIONS, "TwelveBugs", bug.name())::run);
        Map<Bug, Ended> results = runAll(AT_ONCE, jobs);
        SoftAssertions all = new SoftAssertions();
        for (Bug bug : BUGS) {
            Ended ended = results.get(bug);
            all.assertThat(ended.code()).as("%s: code of %s", bug.name(), ended).isEqualTo(1);
            all.assertThat(ended.lastWords())
                    .as("%s: %s", bug.name(), ended)
                    .startsWith("tutti: ")
                    .contains(bug.words());
            all.assertThat(ended.err())
                    .as("%s: lines of both ranks: %s", bug.name(), ended)
                    .contains(bug.lines());
        }
        all.assertAll();
    }
}
