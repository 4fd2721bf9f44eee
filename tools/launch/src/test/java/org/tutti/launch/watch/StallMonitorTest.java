package org.tutti.launch.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.spi.Collective;

/// A job that continues while a stall is examined must not be reported as stalled. A job that continues while the
/// report is printed must not be ended.
class StallMonitorTest {
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final String CONCLUSION = "stall: rank 0 waits for rank 1, which";

    private final long sinceNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);
    private JobFile file;
    private JobStatus status;
    private final List<String> messages = new ArrayList<>();

    @BeforeEach
    void rank0WaitsForRank1() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
        status = JobStatus.create(file, 2, true);
        // this process does not answer, so that the query lasts some time
        for (int r = 0; r < 2; r++) {
            status.claim(r, ProcessHandle.current().pid());
            status.state(r, State.JOINED);
        }
        status.waits(0).write(0, 0, List.of(waitFor(1, 1)));
    }

    private BlockedCall waitFor(int rank, long polls) {
        BitSet wakers = new BitSet();
        wakers.set(rank);
        return new BlockedCall("recv", "recv()", "A.java:1", false, sinceNanos, polls, wakers);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private void goesOn() {
        status.waits(0).write(1, 0, List.of());
    }

    private String check(Consumer<String> say) throws Exception {
        status.state(1, State.LEFT); // an active rank that does not answer delays the page
        try (JobExamination examination = new JobExamination(null, 0, false, status)) {
            StallMonitor monitor = new StallMonitor(status, LIMIT_NANOS, say, examination, true, true);
            for (int i = 0; i < 2; i++) {
                String end = monitor.check();
                if (end != null) return end;
                Thread.sleep(1_100); // one check per second
            }
            return null;
        }
    }

    @Test
    void aLongStallStopsTheJob() throws Exception {
        assertThat(check(messages::add)).startsWith(CONCLUSION).endsWith("(--stall-abort)");
        assertThat(messages.getFirst()).startsWith("stall: no rank has made progress for ");
    }

    /// The shm engine reports a mismatch itself; over a library the monitor does.
    @Test
    void aMismatchStopsAStalledJob() throws Exception {
        for (int r = 0; r < 2; r++) {
            FlightRing ring = FlightRing.of(file, r);
            long head = FlightRing.head(ring.text("barrier"), 0, ring.comm(1, "WORLD"), Kind.COLLECTIVE, 0);
            ring.begin(head, FlightRing.State.CALLED, 1, Collective.Kind.BARRIER.ordinal() + r, 0, 0, 1);
            status.waits(r).write(0, 0, List.of(waitFor(1 - r, 1)));
        }
        try (JobExamination examination = new JobExamination(null, 0, false, status)) {
            StallMonitor monitor = new StallMonitor(status, LIMIT_NANOS, messages::add, examination, false, true);
            String end = monitor.check();
            for (int i = 0; end == null && i < 4; i++) {
                Thread.sleep(1_100); // one check per second
                end = monitor.check();
            }
            assertThat(end).startsWith("mismatch: collective call 1 of WORLD: rank 0 barrier");
            assertThat(messages.toString()).contains("first difference: ").doesNotContain("the job continues");
        }
    }

    @Test
    @Tag("ci")
    void aJobThatContinuesDuringItsPageIsNotStopped() throws Exception {
        assertThat(check(text -> {
                    messages.add(text);
                    goesOn();
                }))
                .isNull();
        assertThat(messages).isNotEmpty();
    }

    @Test
    @Tag("ci")
    void aJobThatContinuesDuringTheQueryIsNotReported() throws Exception {
        Thread rank = Thread.ofPlatform().start(() -> {
            while (status.request() == 0) Thread.onSpinWait();
            goesOn();
        });
        assertThat(check(messages::add)).isNull();
        rank.join();
        assertThat(messages).isEmpty();
    }

    /// Ranks that get little CPU time, or that wait for much data, need more than a few seconds for a
    /// conclusion.
    @Test
    @Tag("ci")
    void aDeadlockOfRanksThatSeldomCheckIsProven() throws Exception {
        try (JobExamination examination = new JobExamination(null, 0, false, status)) {
            StallMonitor monitor = new StallMonitor(status, LIMIT_NANOS, messages::add, examination, false, false);
            String end = null;
            int seconds = 0;
            for (; end == null && seconds < 60; seconds++) {
                for (int r = 0; r < 2; r++) status.waits(r).write(1, 0, List.of(waitFor(1 - r, 1 + seconds / 7)));
                end = monitor.check();
                Thread.sleep(1_010);
            }
            assertThat(end).startsWith("deadlock: 0 recv←1 (A.java:1) → 1 recv←0 (A.java:1) → 0");
            assertThat(seconds).isGreaterThan(14);
        }
    }
}
