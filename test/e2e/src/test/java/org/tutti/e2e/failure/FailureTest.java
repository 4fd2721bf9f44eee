package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Rank 2 of 3 or 4 fails. The job ends without help, with the exit code of the rank, and the last line of
/// stderr contains the rank, the cause and the source line.
class FailureTest extends JobTest {
    /// @param program a program of `programs.Failures`, and the argument
    /// @param message the text that follows "rank 2 failed first: " in the last line of stderr
    record Case(List<String> program, int code, String message, List<String> options) {
        Case(String program, int code, String message) {
            this(List.of(program.split(" ")), code, message, List.of());
        }

        Case with(String... more) {
            return new Case(program, code, message, List.of(more));
        }

        @Override
        public String toString() {
            return String.join(" ", program);
        }
    }

    /// The case for each library with `-Pci`. A failing job over a library needs seconds, so each library has
    /// one case, in which the library's launcher and abort take part.
    private static final Map<Way, Set<String>> OVER_LIBRARIES = Map.of(
            Way.OPEN_MPI, Set.of("inCollective"),
            Way.MPICH, Set.of("abort 256"));

    private static final String ENOUGH =
            "java.lang.IllegalStateException: rank 2 throws on purpose at programs.Failures.";

    private static Stream<Case> cases() {
        return Stream.of(
                new Case("inCollective", 1, ENOUGH + "inCollective(Failures.java:"),
                new Case("inRecv", 1, ENOUGH + "inRecv(Failures.java:"),
                new Case("inRemoteGroup", 1, ENOUGH + "inRemoteGroup(Failures.java:"),
                new Case("inUserCode", 1, ENOUGH + "inUserCode(Failures.java:"),
                new Case(
                        "ownThread",
                        1,
                        "java.lang.IllegalStateException: a thread of rank 2 throws on purpose at programs.Failures.lambda$"),
                new Case("exit 3", 3, ""),
                new Case("exit 0", 1, "it ended"),
                new Case("halt 7", 7, ""),
                new Case("halt 0", 1, "it ended"),
                new Case(
                                "outOfMemory",
                                1,
                                "java.lang.OutOfMemoryError: Java heap space at programs.Failures.outOfMemory(Failures.java:")
                        .with("--jvm", "-Xmx32m"),
                new Case("stackOverflow", 1, "java.lang.StackOverflowError at programs.Failures.deeper(Failures.java:"),
                new Case(
                        "beforeInit RANK",
                        1,
                        "java.lang.IllegalStateException: before init at programs.Failures.beforeInit(Failures.java:"),
                new Case("noInit RANK", 1, "it ended (code 0) without Mpi.init, while"),
                new Case(
                        "inTry",
                        1,
                        "java.lang.IllegalStateException: inside try at programs.Failures.inTry(Failures.java:"),
                new Case("withoutClose", 1, "it ended"),
                new Case("pendingRequest", 1, "programs.Failures.pendingRequest(Failures.java:"),
                new Case("abort 5", 5, "abort(5) was called by rank 2"),
                new Case("abort 256", 1, "abort(256) was called by rank 2"),
                new Case("exit 256", 1, "it ended (code 0) without Mpi.close"),
                new Case(
                        "initializer",
                        1,
                        "java.lang.ExceptionInInitializerError at programs.Failures.initializer(Failures.java:"),
                new Case("hookThatHangs", 1, ENOUGH + "hookThatHangs(Failures.java:"),
                new Case("ownHandler", 1, ENOUGH + "ownHandler(Failures.java:"));
    }

    private static Stream<Arguments> allCases() {
        return Stream.of(Way.values())
                .flatMap(way -> cases().filter(c -> isTried(way, c.toString())).map(c -> Arguments.of(way, c)));
    }

    /// Cases that run on shared memory only with `-Pfull`. A similar case runs by default.
    private static final Set<String> ALIKE = Set.of(
            "abort 256",
            "exit 256",
            "inRecv",
            "inRemoteGroup",
            "stackOverflow",
            "halt 0",
            "inTry",
            "initializer",
            "ownHandler");

    private static boolean isTried(Way way, String program) {
        if (Tier.FULL) return true;
        return way.isNative() ? Tier.CI && OVER_LIBRARIES.get(way).contains(program) : !ALIKE.contains(program);
    }

    /// Returns the number of ranks: over a library and by default, the smallest number that is sufficient.
    private static int ranks(Way way) {
        return way.isNative() || !Tier.FULL ? 3 : 4;
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("allCases")
    void lastLineOfFailedJobIsTheCause(Way way, Case failure) throws Exception {
        String[] program = Stream.concat(Stream.of("Failures"), failure.program().stream())
                .map(word -> word.equals("RANK") ? way.rankVariable : word)
                .toArray(String[]::new);
        ProcessOutcome outcome =
                Command.program(way, ranks(way), failure.options(), program).run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(failure.code());
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 2 failed first: ")
                .contains(failure.message())
                .contains(": exit code " + failure.code() + " after ");
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void killedRankExitsWith137(Way way) throws Exception {
        Child job = Command.program(way, ranks(way), List.of("--stall", "0"), "Waits", "recv")
                .start();
        Map<Integer, Long> ranks = job.awaitReady(ranks(way));
        Processes.signal("KILL", ranks.get(2));
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(137);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 2 failed first: it was killed (SIGKILL")
                .contains("pid " + ranks.get(2));
    }

    @Test
    void stoppedRanksAreNamed() throws Exception {
        ProcessOutcome outcome =
                Command.program(Way.SHM, 4, List.of(), "Failures", "inUserCode").run();
        assertThat(outcome.lastErrorLine()).as("%s", outcome).endsWith("; ranks 0, 1 and 3 were stopped");
        assertThat(outcome.err()).as("stack trace").contains("Exception in thread \"main\" java.lang.Illegal");
    }
}
