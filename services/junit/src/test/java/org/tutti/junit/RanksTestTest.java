package org.tutti.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// The results of tests that pass, fail, are skipped or are declared incorrectly, as reported to JUnit.
class RanksTestTest {
    @RanksTest({1, 2, 3})
    void everyRankRunsTheMethod(Mpi mpi) {
        Comm world = mpi.world();
        assertEquals(world.size() * (world.size() - 1) / 2, world.allreduce(world.rank(), Op.SUM));
    }

    @RanksTest(3)
    void otherParametersAreShared(Comm world, @TempDir Path folder) {
        assertThat(world.allgatherObject(folder.toString())).containsOnly(folder.toString());
    }

    @RanksTest(value = 3, processes = true)
    void processesAreRanks(Mpi mpi) {
        List<Long> pids = mpi.world().allgatherObject(ProcessHandle.current().pid());
        assertThat(pids).doesNotHaveDuplicates().hasSize(3);
    }

    static class Failing {
        @RanksTest(4)
        void twoFailByThemselvesAndTwoWait(Comm world) {
            world.barrier();
            if (world.rank() == 1) assertEquals(3, 4, "the sum");
            if (world.rank() == 3) throw new IllegalStateException("no file");
            world.barrier();
        }
    }

    @Test
    void theVerdictNamesEachRankThatFailedByItself() {
        Throwable verdict = onlyFailure(Failing.class);
        assertThat(verdict).isInstanceOf(AssertionError.class).hasMessageMatching("""
                        2 of 4 ranks failed:
                          rank 1: org\\.opentest4j\\.AssertionFailedError: the sum ==> expected: <3> but was: <4> \
                        \\(RanksTestTest\\.java:\\d+\\)
                          rank 3: java\\.lang\\.IllegalStateException: no file \\(RanksTestTest\\.java:\\d+\\)""");
        assertThat(verdict.getStackTrace()).anyMatch(f -> f.getMethodName().equals("twoFailByThemselvesAndTwoWait"));
    }

    static class FailingInProcesses {
        @RanksTest(value = 3, processes = true)
        void twoFailByThemselvesAndOneWaits(Comm world) {
            world.barrier();
            if (world.rank() != 1) throw new IllegalStateException("rank " + world.rank(), new RuntimeException("why"));
            world.barrier();
        }
    }

    @Test
    void soDoesThatOfProcesses() {
        Throwable verdict = onlyFailure(FailingInProcesses.class);
        assertThat(verdict).hasMessageMatching("""
                        2 of 3 ranks failed:
                          rank 0: java\\.lang\\.IllegalStateException: rank 0 \\(RanksTestTest\\.java:\\d+\\)
                          rank 2: java\\.lang\\.IllegalStateException: rank 2 \\(RanksTestTest\\.java:\\d+\\)""").hasRootCauseMessage("java.lang.RuntimeException: why");
    }

    static class Killed {
        @RanksTest(value = 2, processes = true)
        void rankOneHasReturned(Comm world) {
            if (world.rank() == 1) Runtime.getRuntime().halt(7);
            world.barrier();
        }
    }

    @Test
    @Tag("ci")
    void aProcessWithoutAReportIsNamedByTheLauncher() {
        assertThat(onlyFailure(Killed.class)).hasMessageContaining("rank 1").hasMessageContaining("exit code 7");
    }

    static class WaitingForAbsentRank {
        @RanksTest(value = 2, timeoutSeconds = 2)
        void bothReceive(Comm world) {
            world.recv(Buf.buf(new int[1]), 1 - world.rank());
        }
    }

    @Test
    @Tag("ci")
    void deadlockIsReportedForEveryRank() {
        assertThat(onlyFailure(WaitingForAbsentRank.class)).hasMessageMatching("""
                not over after 2 s:
                  rank 0: in recv \\(RanksTestTest\\.java:\\d+\\)
                  rank 1: in recv \\(RanksTestTest\\.java:\\d+\\)""");
    }

    static class TooSlow {
        @RanksTest(2)
        @Timeout(1)
        void oneSleeps(Comm world) throws InterruptedException {
            if (world.rank() == 1) Thread.sleep(60_000);
            world.barrier();
        }
    }

    static class WaitingInProcesses {
        @RanksTest(value = 2, processes = true)
        void bothReceive(Comm world) {
            world.recv(Buf.buf(new int[1]), 1 - world.rank());
        }
    }

    @Test
    @Tag("full")
    void aDeadlockOfProcessesIsProven() {
        assertThat(onlyFailure(WaitingInProcesses.class))
                .hasMessageContaining("deadlock")
                .hasMessageContaining("recv");
    }

    @Test
    void aJunitTimeoutStopsTheRanks() {
        assertThat(onlyFailure(TooSlow.class)).hasMessageContaining("timed out after 1 second");
    }

    static class Skipped {
        @RanksTest(2)
        void assumesSomethingFalse(Comm world) {
            Assumptions.assumeTrue(world.rank() > 1, "no such rank");
        }
    }

    @Test
    void anAssumptionThatDoesNotHoldSkipsTheTest() {
        assertThat(results(Skipped.class))
                .extracting(TestExecutionResult::getStatus)
                .containsExactly(TestExecutionResult.Status.ABORTED);
    }

    static class WithoutRanks {
        @RanksTest({})
        void never(Mpi mpi) {}
    }

    static class OnZeroRanks {
        @RanksTest({2, 0})
        void never(Mpi mpi) {}
    }

    static class OnTooManyRanks {
        @RanksTest(1025)
        void never(Mpi mpi) {}
    }

    static class NegativeLimit {
        @RanksTest(value = 2, timeoutSeconds = -1)
        void never(Mpi mpi) {}
    }

    static class WithForeignParameter {
        @RanksTest(value = 2, processes = true)
        void never(Mpi mpi, @TempDir Path folder) {}
    }

    static class Outer {
        @Nested
        class Inner {
            @RanksTest(value = 2, processes = true)
            void never(Mpi mpi) {}
        }
    }

    @Test
    void invalidTestsAreRefusedWithTheReason() {
        assertThat(refusal(WithoutRanks.class)).isEqualTo("@RanksTest on never: no number of ranks is given");
        assertThat(refusal(OnZeroRanks.class)).isEqualTo("@RanksTest on never: 0 is not a number of ranks");
        assertThat(refusal(OnTooManyRanks.class)).isEqualTo("@RanksTest on never: 1025 ranks: a test has at most 1024");
        assertThat(refusal(NegativeLimit.class)).isEqualTo("@RanksTest on never: timeoutSeconds=-1 is negative");
        assertThat(refusal(WithForeignParameter.class))
                .isEqualTo("@RanksTest(processes = true) on never: the parameter Path exists only in this process, and"
                        + " ranks are other processes; use parameters of type Mpi and Comm");
        assertThat(refusal(Outer.class))
                .startsWith("@RanksTest(processes = true) on never: ")
                .contains("Inner is an inner class, which a rank cannot instantiate");
    }

    static class WithMethodsAround {
        private static int all;
        private int each;

        @BeforeAll
        static void beforeAll() {
            all = 1;
        }

        @BeforeEach
        void beforeEach() {
            each = 2;
        }

        @RanksTest(value = 2, processes = true)
        void processesCallThem(Comm world) {
            assertEquals(6, world.allreduce(all + each, Op.SUM));
        }
    }

    @Test
    void methodsAroundTheTestAreCalledInEachProcess() {
        assertThat(results(WithMethodsAround.class))
                .extracting(TestExecutionResult::getStatus)
                .containsExactly(TestExecutionResult.Status.SUCCESSFUL);
    }

    private static Throwable onlyFailure(Class<?> type) {
        List<TestExecutionResult> results = results(type);
        assertThat(results).hasSize(1);
        return results.getFirst().getThrowable().orElseThrow();
    }

    private static List<TestExecutionResult> results(Class<?> type) {
        return executed(type).testEvents().finished().stream()
                .map(e -> e.getRequiredPayload(TestExecutionResult.class))
                .toList();
    }

    /// Returns the reason for which the test or the container of the test was refused.
    private static String refusal(Class<?> type) {
        EngineExecutionResults all = executed(type);
        return Stream.concat(all.containerEvents().failed().stream(), all.testEvents().failed().stream())
                .map((Event e) -> e.getRequiredPayload(TestExecutionResult.class))
                .map(r -> String.valueOf(r.getThrowable().orElseThrow().getMessage()))
                .findFirst()
                .orElse("not refused");
    }

    private static EngineExecutionResults executed(Class<?> type) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(type))
                .execute();
    }
}
