package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;

class RankOutcomesTest {
    private JobFile file;
    private JobStatus status;
    private RankOutcomes outcome;

    @BeforeEach
    void create() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", 1 << 20);
        status = JobStatus.create(file, 3, true);
        for (int r = 0; r < 3; r++) status.claim(r, 1000 + r);
        outcome = new RankOutcomes(status, false, false);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    @Test
    void findsNoFaultWithRanksThatLeft() {
        for (int r = 0; r < 3; r++) {
            status.state(r, State.JOINED);
            status.state(r, State.LEFT);
            outcome.ended(r, 0);
        }
        assertThat(outcome.isFinished()).isTrue();
        assertThat(outcome.first()).isNull();
    }

    @Test
    void findsNoFaultWithAProgramWithoutMpi() {
        for (int r = 0; r < 3; r++) outcome.ended(r, 0);
        assertThat(outcome.first()).isNull();
    }

    @Test
    void blamesTheFirstInTimeNotTheFirstToEnd() {
        status.fail(2, 1, "java.lang.IllegalStateException: boom\n\tat Foo.main(Foo.java:12)\n");
        outcome.ended(0, 1);
        outcome.ended(2, 1);
        assertThat(outcome.first())
                .extracting(RankOutcomes.Failure::rank, RankOutcomes.Failure::exitCode, RankOutcomes.Failure::cause)
                .containsExactly(2, 1, "java.lang.IllegalStateException: boom at Foo.main(Foo.java:12)");
    }

    @Test
    void blamesARankWhoseExitCodeArrivesLate() {
        for (int r = 0; r < 3; r++) status.state(r, State.JOINED);
        outcome.terminates(2);
        status.fail(1, 1, "org.tutti.mpi.MpiException: barrier: ERR_OTHER\n\tat Foo.main(Foo.java:12)\n");
        outcome.ended(2, 7);
        assertThat(outcome.first())
                .extracting(RankOutcomes.Failure::rank, RankOutcomes.Failure::exitCode)
                .containsExactly(2, 7);
    }

    @Test
    void blamesARankWhoseExitCodeIsLost() {
        for (int r = 0; r < 3; r++) status.state(r, State.JOINED);
        outcome.terminates(2);
        status.fail(1, 1, "org.tutti.mpi.MpiException: barrier: ERR_OTHER\n\tat Foo.main(Foo.java:12)\n");
        outcome.terminates(0);
        outcome.terminatedWithoutCode();
        assertThat(outcome.first())
                .extracting(RankOutcomes.Failure::rank, RankOutcomes.Failure::exitCode, RankOutcomes.Failure::cause)
                .containsExactly(2, 1, "it ended (exit code unknown) without Mpi.close");
    }

    @Test
    void aWorkerOfAPoolThatDiesIsLostOnceRankZeroHasItsPool() {
        outcome = new RankOutcomes(status, true, true);
        for (int r = 0; r < 3; r++) status.state(r, State.JOINED);
        status.outlivesWorkers();
        status.tasks(2, 200, "map at Fit.java:88");
        status.started(2, 7L << 32 | 5);
        assertThat(outcome.recordWorkerDeath(2, 137)).isTrue();
        assertThat(status.losses()).isEqualTo(1);
        assertThat(status.isLost(2)).isTrue();
        assertThat(status.loss(2)).isEqualTo("was killed (SIGKILL)");
        assertThat(status.task(2)).isEqualTo("task 204 of map at Fit.java:88");
        assertThat(outcome.first()).isNull();
        status.fail(1, 1, "java.lang.OutOfMemoryError: Java heap space\n\tat Foo.main(Foo.java:12)\n");
        assertThat(outcome.first()).isNull();
        assertThat(outcome.recordWorkerDeath(1, 1)).isTrue();
        assertThat(status.loss(1))
                .isEqualTo("ended by java.lang.OutOfMemoryError: Java heap space at Foo.main(Foo.java:12)");
        assertThat(outcome.recordWorkerDeath(0, 137)).isFalse();
        assertThat(outcome.first()).extracting(RankOutcomes.Failure::rank).isEqualTo(0);
    }

    @Test
    void elsewhereADeathIsTheJobsAndItsTaskIsNamed() {
        outcome = new RankOutcomes(status, true, false);
        status.state(2, State.JOINED);
        status.outlivesWorkers();
        status.tasks(2, 200, "map at Fit.java:88");
        status.started(2, 7L << 32 | 5);
        assertThat(outcome.recordWorkerDeath(2, 7)).isFalse();
        assertThat(outcome.first())
                .extracting(RankOutcomes.Failure::rank, RankOutcomes.Failure::cause)
                .containsExactly(2, "it exited in task 204 of map at Fit.java:88");
    }

    @Test
    void aDeathBeforeThePoolIsThereIsTheJobs() {
        outcome = new RankOutcomes(status, true, true);
        status.state(2, State.JOINING);
        assertThat(outcome.recordWorkerDeath(2, 137)).isFalse();
        assertThat(outcome.first()).extracting(RankOutcomes.Failure::rank).isEqualTo(2);
        assertThat(outcome.first().cause())
                .contains("(--pool: only rank 0 runs the program, and it had not opened a pool")
                .contains("RankPool.processes starts the workers: run it with -n 1 and without --pool)");
    }

    @Test
    void aWorkerStoppedByTheLauncherIsNotLost() {
        outcome = new RankOutcomes(status, true, true);
        for (int r = 0; r < 3; r++) status.state(r, State.JOINED);
        status.outlivesWorkers();
        assertThat(outcome.stopping().cardinality()).isEqualTo(3);
        assertThat(outcome.recordWorkerDeath(2, 143)).isFalse();
        assertThat(status.losses()).isZero();
    }

    /// A rank that ends with an exception reports the exception after leaving; other ranks may have failed in
    /// the meantime.
    @Test
    void blamesTheRankThatLeftByAnExceptionAndNotTheOneThatWaitedForIt() {
        status.fail(0, 1, "org.tutti.mpi.MpiException: recv: waits for rank 2, which has" + JobStatus.LEFT_TEXT + "\n");
        assertThat(outcome.first()).extracting(RankOutcomes.Failure::rank).isEqualTo(0);
        status.fail(2, 1, "java.lang.IllegalStateException: boom\n\tat Foo.main(Foo.java:12)\n");
        assertThat(outcome.first()).extracting(RankOutcomes.Failure::rank).isEqualTo(2);
    }

    @Test
    void takesTheExitCodeOfAProcess() {
        outcome.ended(1, 3);
        assertThat(outcome.first()).isNotNull();
        assertThat(outcome.first().exitCode()).isEqualTo(3);
        assertThat(outcome.first().pid()).isEqualTo(1001);
    }

    /// Tests codes above 255, of which the process's exit code has only the lowest eight bits: if these are 0,
    /// the code is 1.
    @Test
    void namesTheExitCodeThatTheShellReceives() {
        status.fail(0, 256, "abort(256) was called by rank 0");
        assertThat(outcome.first().exitCode()).isEqualTo(1);
        outcome.ended(0, 0);
        assertThat(outcome.first().exitCode()).isEqualTo(1);
        outcome = new RankOutcomes(status, false, false);
        status.state(0, State.JOINED);
        status.fail(0, 300, "abort(300) was called by rank 0");
        assertThat(outcome.first().exitCode()).isEqualTo(300 - 256);
    }

    @Test
    void blamesTheKilledRankAndNotThePeerThatAbortedAtItsSight() {
        outcome.ended(1, 134);
        outcome.ended(0, 137);
        assertThat(outcome.first()).isNotNull();
        assertThat(outcome.first().rank()).isZero();
        assertThat(outcome.first().exitCode()).isEqualTo(137);
    }

    @Test
    void rejectsAnEndWithoutClose() {
        for (int r = 0; r < 3; r++) status.state(r, State.JOINED);
        outcome.ended(1, 0);
        assertThat(outcome.first().exitCode()).isEqualTo(1);
        assertThat(outcome.first().cause())
                .isEqualTo("it ended (code 0) without Mpi.close, while ranks 0 and 2 still ran; each rank must call"
                        + " Mpi.close");
    }

    @Test
    void rejectsAnExitWithoutInitWhileRanksWait() {
        outcome.ended(1, 0);
        assertThat(outcome.first()).isNull();
        status.state(0, State.JOINED);
        assertThat(outcome.first().cause()).isEqualTo("it ended (code 0) without Mpi.init, while rank 0 waits for it");
    }

    @Test
    void namesTheFirstLineOfTheUsersCode() {
        String text =
                "java.lang.IndexOutOfBoundsException: 3\n\tat java.base/java.util.Objects.checkIndex(Objects.java:1)\n"
                        + "\tat org.tutti.mpi/org.tutti.mpi.Comm.send(Comm.java:9)\n\tat app//my.Main.main(Main.java:7)\n"
                        + "Caused by: x\n\tat Other.f(Other.java:1)\n";
        assertThat(RankOutcomes.summary(text))
                .isEqualTo("java.lang.IndexOutOfBoundsException: 3 at app//my.Main.main(Main.java:7)");
        assertThat(RankOutcomes.summary("abort(3) was called")).isEqualTo("abort(3) was called");
    }

    @Test
    void aTensorLibrarysCodeIsNotTheUsers() {
        String text = "java.lang.RuntimeException: shapes cannot be multiplied (4x3 and 5x2)\n"
                + "\tat org.bytedeco.pytorch.Tensor.matmul(Native Method)\n\tat Train.main(Train.java:7)\n";
        assertThat(RankOutcomes.summary(text))
                .isEqualTo("java.lang.RuntimeException: shapes cannot be multiplied (4x3 and 5x2) at"
                        + " Train.main(Train.java:7)");
    }

    @Test
    void anUnknownExitCodeIsReported() {
        status.state(1, State.JOINING);
        outcome.ended(1, RankOutcomes.UNKNOWN);
        assertThat(outcome.first().cause()).isEqualTo("it ended (exit code unknown) without Mpi.close");
    }
}
