package org.tutti.e2e.diagnosis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// The twelve classic bugs. With the default options of `tutti run`, each job ends before the timeout with an
/// exit code other than 0, and reports the calls, values and source lines of the ranks.
///
/// docs/mistakes.md shows the output. The texts are equal over a library and on shared memory, with few
/// exceptions. A few jobs of an engine run at the same time.
class MistakesTest extends JobTest {
    private static final int AT_ONCE = 3;

    /// A job that Tutti does not end exits with 124.
    private static final List<String> OPTIONS = List.of("--timeout", "300");

    private static final Marked SOURCE = Marked.program("TwelveBugs");

    /// @param texts parts of the last line
    /// @param overLibraries parts of the last line over a library
    /// @param calls the calls of rank 0 and of rank 1, if a mismatch of the two is the bug
    private record Bug(String name, List<String> texts, List<String> overLibraries, List<String> calls) {
        static Bug of(String name, String... texts) {
            return new Bug(name, List.of(texts), List.of(texts), List.of());
        }

        /// Returns a bug in which the calls of the two ranks do not match.
        static Bug both(String name, String call0, String call1) {
            List<String> texts =
                    List.of("collective call 1 of WORLD does not match: ", "rank 0 ", call0, "rank 1 ", call1);
            return new Bug(name, texts, texts, List.of(call0, call1));
        }

        Bug overLibraries(String... libraryTexts) {
            return new Bug(name, texts, List.of(libraryTexts), calls);
        }

        /// Returns texts about `rank` that the report must contain if it describes the bug from the view of
        /// `rank`.
        List<String> roles(int rank) {
            if (calls.isEmpty()) return List.of("rank " + rank);
            String call = calls.get(rank);
            return List.of("rank " + rank, call, ": " + call.substring(0, call.indexOf('(')) + ": ", lines().get(rank));
        }

        /// Returns the source lines of the calls of rank 0 and rank 1.
        List<String> lines() {
            return SOURCE.lines(name + ": ");
        }

        /// Returns the source lines that a run reports. Over a library, the failure of rank 0 can end rank 1
        /// before rank 1 reports the communicator that it has not closed.
        List<String> lines(Way way) {
            return way.isNative() && name.equals("leak") ? List.of(SOURCE.line("leak: rank 0")) : lines();
        }
    }

    private static final List<Bug> BUGS = List.of(
            Bug.both("root", "bcast(4 INT, root=0)", "bcast(4 INT, root=1)"),
            Bug.both("op", "allreduce(4 INT, SUM)", "allreduce(4 INT, MAX)"),
            Bug.both("count", "allreduce(4 INT, SUM)", "allreduce(8 INT, SUM)"),
            Bug.both("countbig", "allreduce(20000 INT, SUM)", "allreduce(40000 INT, SUM)"),
            Bug.both("mix", "barrier()", "allreduce(1 INT, SUM)"),
            Bug.of(
                    "dtype",
                    "recv: message from rank 0, tag 3, sent at " + SOURCE.line("dtype: rank 0")
                            + ", holds 4 INT, the buffer is of FLOAT (rank 1 of 2, WORLD)"),
            Bug.of(
                    "trunc",
                    "recv: message of 16 INT (64 bytes) from rank 0, tag 3, sent at " + SOURCE.line("trunc: rank 0")
                            + ", does not fit into the buffer of 4 INT (16 bytes) (rank 1 of 2, WORLD)"),
            Bug.of(
                    "dead",
                    "tutti: deadlock: 0 recv←1 (" + SOURCE.line("dead: rank 0") + ") → 1 recv←0 ("
                            + SOURCE.line("dead: rank 1") + ") → 0: "),
            Bug.of(
                            "early",
                            "recv: waits for rank 0, which has left the job by Mpi.close and sends no more messages"
                                    + " (rank 1 of 2, WORLD)")
                    .overLibraries("tutti: deadlock: 1 recv←0 (" + SOURCE.line("early: rank 1")
                            + ") → ranks that have left: "),
            Bug.both("skip", "allreduce(1 INT, SUM)", "barrier()"),
            Bug.of("leak", "irecv(1 INT, source=1, tag=77) at " + SOURCE.line("leak: rank 0"), "(rank 0 of 2, WORLD)"),
            Bug.of(
                            "lost",
                            "1 message was never received: 1 INT from rank 0, tag 5, WORLD, sent at "
                                    + SOURCE.line("lost: rank 0"),
                            "(rank 1 of 2, WORLD)")
                    .overLibraries("a message was never received: 4 bytes from rank 0, tag 5, WORLD, sent at "
                            + SOURCE.line("lost: rank 0")));

    /// The bug that runs over each library with `-Pci`.
    private static final Map<Way, Set<String>> OVER_LIBRARIES =
            Map.of(Way.OPEN_MPI, Set.of("dtype"), Way.MPICH, Set.of("lost"));

    private static boolean isTried(Way way, Bug bug) {
        return Tier.FULL || !way.isNative() || OVER_LIBRARIES.get(way).contains(bug.name());
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI, Way.MPICH})
    void theTwelveBugsAreExplained(Way way) throws Exception {
        way.require();
        Map<Bug, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        List<Bug> tried = BUGS.stream().filter(bug -> isTried(way, bug)).toList();
        for (Bug bug : tried) jobs.put(bug, Command.program(way, 2, OPTIONS, "TwelveBugs", bug.name())::run);
        Map<Bug, ProcessOutcome> results = runAll(AT_ONCE, jobs);
        SoftAssertions all = new SoftAssertions();
        for (Bug bug : tried) {
            ProcessOutcome ended = results.get(bug);
            all.assertThat(ended.code()).as("%s: code of %s", bug.name(), ended).isEqualTo(1);
            all.assertThat(ended.lastErrorLine())
                    .as("%s: %s", bug.name(), ended)
                    .startsWith("tutti: ")
                    .contains(way.isNative() ? bug.overLibraries() : bug.texts());
            all.assertThat(ended.err())
                    .as("%s: lines of the two ranks: %s", bug.name(), ended)
                    .contains(bug.lines(way));
            if (way == Way.SHM) checkPage(bug, ended, all);
        }
        all.assertAll();
    }

    private static void checkPage(Bug bug, ProcessOutcome ended, SoftAssertions all) {
        MistakesPage page = MistakesPage.of("TwelveBugs", bug.name());
        List<String> source = SOURCE.lines().stream()
                .map(line -> line.replaceFirst(" // .*", "").strip())
                .toList();
        all.assertThat(source).as("docs/mistakes.md, %s", bug.name()).containsSequence(page.code());
        all.assertThat(page.printed()).as("docs/mistakes.md, %s", bug.name()).isNotEmpty();
        all.assertThat(page.printed())
                .as("docs/mistakes.md, %s: %s", bug.name(), ended)
                .allMatch(line -> MistakesPage.isPrinted(ended.err(), line, bug.roles(0), bug.roles(1)));
    }
}
