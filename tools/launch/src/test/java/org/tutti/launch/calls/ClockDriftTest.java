package org.tutti.launch.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.calls.CallLog;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.launch.profile.Profile;
import org.tutti.spi.Collective;

/// Synthetic logs of one hour on hosts with different clocks: rank 0 on `a`, ranks 1 and 2 on `b`. Times are
/// microseconds after the comparison of the clocks.
class ClockDriftTest {
    private static final int RANKS = 3;
    private static final long SECOND = 1_000_000, HOUR = 3600 * SECOND;

    /// The latency of the fastest message.
    private static final long LATENCY = 40;

    private static final long OFFSET_NANOS = 77_000_000_000L;

    @TempDir
    Path directory;

    private final List<CallLog> logs = new ArrayList<>();
    private long start;

    /// The clock of host `b`, in microseconds.
    private LongUnaryOperator clock = now -> now;

    @BeforeEach
    void create() throws Exception {
        start = System.nanoTime();
        for (int rank = 0; rank < RANKS; rank++) {
            logs.add(CallLog.create(directory, rank, RANKS, rank == 0 ? "a" : "b"));
            if (rank > 0) logs.get(rank).clock(OFFSET_NANOS);
        }
    }

    private long call(int rank, Kind kind, String operation, long begin, long end) {
        CallLog log = logs.get(rank);
        long first = rank == 0 ? start + OFFSET_NANOS : start;
        LongUnaryOperator own = rank == 0 ? now -> now : clock;
        int site = log.site(operation, "A.java:3");
        long began = first + own.applyAsLong(begin) * 1000;
        long number = log.begin(began, kind, 0, site, log.text("1 main"), log.text("1 WORLD"));
        log.end(number, first + own.applyAsLong(end) * 1000);
        return number;
    }

    private void message(int from, int to, long sent, long received) {
        long send = call(from, Kind.SEND, "send", sent, sent + 5);
        logs.get(from).is(send, 0, 0, to, 7, 8, 0);
        logs.get(from).done(send, send, 0);
        long receive = call(to, Kind.RECV, "recv", sent - 10, received);
        logs.get(to).is(receive, 0, 0, from, 7, 8, 0);
        logs.get(to).done(receive, receive, 0);
    }

    /// @param late the rank that enters later than the other ranks, by `by`
    private void collective(Collective.Kind kind, int root, long number, long at, int late, long by, boolean inter) {
        for (int rank = 0; rank < RANKS; rank++) {
            long begin = at + (rank == late ? by : 0), end = at + by + LATENCY;
            long call = call(rank, Kind.COLLECTIVE, kind.name().toLowerCase(Locale.ROOT), begin, end);
            logs.get(rank).is(call, kind.ordinal(), inter ? 1 : 0, root, 0, 8, number);
            logs.get(rank).done(call, call, 0);
        }
    }

    private void messagesEachMinute() {
        for (long now = SECOND; now < HOUR; now += 60 * SECOND) {
            message(0, 1, now, now + LATENCY);
            message(1, 0, now + 500, now + 500 + LATENCY);
        }
    }

    private JobCalls read() throws Exception {
        return JobCalls.read(directory, RANKS, 0);
    }

    private void assertMessagesGoForwards(JobCalls job) {
        List<Long> took = new ArrayList<>();
        MessagePairs.match(job, (from, send, to, receive) -> took.add(to.end(receive) - from.begin(send)));
        assertThat(took).hasSize(120).allMatch(nanos -> nanos > 0 && nanos < 3 * LATENCY * 1000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {30e-6, -30e-6})
    void aClockThatDriftsIsCorrectedByMessages(double rate) throws Exception {
        clock = now -> Math.round(now * (1 + rate));
        messagesEachMinute();
        try (JobCalls job = read()) {
            assertMessagesGoForwards(job);
            assertThat(job.drifts()).containsOnlyKeys("b");
            assertThat(job.drifts().get("b") / 1e6).as("ms").isCloseTo(-rate * 3541e3, within(0.2));
            long began = job.ranks().get(1).began();
            assertThat(began - start - OFFSET_NANOS)
                    .as("of the comparison, nothing is corrected")
                    .isLessThan(SECOND * 10_000);
            assertThat(job.ranks().get(1).lastNanos()).isGreaterThan(began);
            assertThat(Profile.of(job))
                    .contains("  the clock of b was 106 ms " + (rate > 0 ? "fast" : "slow")
                            + " at the end; times are corrected");
        }
    }

    @Test
    void ranksOfAHostHaveOneClock() throws Exception {
        clock = now -> Math.round(now * (1 + 30e-6));
        messagesEachMinute();
        long number = call(2, Kind.PROBE, "probe", HOUR, HOUR + 10);
        assertThat(number).isZero();
        try (JobCalls job = read()) {
            long error = job.ranks().get(2).begin(0) - (start + OFFSET_NANOS + HOUR * 1000);
            assertThat(error / 1e3).as("µs").isCloseTo(0, within(100.0));
        }
    }

    @Test
    void aClockThatDriftsIsCorrectedByCollectiveCalls() throws Exception {
        clock = now -> Math.round(now * (1 + 30e-6));
        for (int i = 0; i < 60; i++) {
            long at = SECOND + i * 60L * SECOND;
            switch (i % 3) {
                case 0 -> collective(Collective.Kind.BARRIER, -1, i + 1, at, i % 2, 1000, false);
                case 1 -> collective(Collective.Kind.ALLREDUCE, -1, i + 1, at, i % 2, 1000, false);
                default -> collective(Collective.Kind.BCAST, i % 2, i + 1, at, i % 2, 1000, false);
            }
        }
        try (JobCalls job = read()) {
            assertThat(job.drifts().get("b") / 1e6).as("ms").isCloseTo(-30e-6 * 3541e3, within(0.2));
        }
    }

    @Test
    void whereNothingSpeaksAgainstItAClockDoesNotDrift() throws Exception {
        messagesEachMinute();
        // a delayed rank does not imply a slow clock
        for (int i = 0; i < 60; i++) collective(Collective.Kind.BARRIER, -1, i + 1, i * 60L * SECOND, 1, SECOND, false);
        try (JobCalls job = read()) {
            assertThat(job.drifts()).isEmpty();
        }
    }

    @Test
    void betweenTwoGroupsARankDoesNotWaitForItsOwn() throws Exception {
        for (int i = 0; i < 60; i++) {
            long at = i * 60L * SECOND;
            for (int rank = 0; rank < RANKS; rank++) {
                // rank 1 returns before rank 0 enters
                long begin = at + (rank == 0 ? 5000 : 0);
                long call = call(rank, Kind.COLLECTIVE, "barrier", begin, begin + LATENCY);
                logs.get(rank).is(call, Collective.Kind.BARRIER.ordinal(), 1, -1, 0, 0, i + 1);
                logs.get(rank).done(call, call, 0);
            }
        }
        try (JobCalls job = read()) {
            assertThat(job.drifts()).isEmpty();
        }
    }

    @Test
    void anErrorOfTheComparisonIsNotMadeLarger() throws Exception {
        // from the first second, messages seem to arrive 20 µs before they were sent
        clock = now -> now - 60;
        messagesEachMinute();
        try (JobCalls job = read()) {
            long drift = job.drifts().getOrDefault("b", 0L);
            assertThat(drift / 1e3).as("µs").isBetween(0.0, 50.0);
        }
    }

    @Test
    void onOneHostThereIsOneClock() throws Exception {
        messagesEachMinute();
        try (JobCalls job = JobCalls.read(directory, RANKS, System.nanoTime())) {
            assertThat(job.drifts()).isEqualTo(Map.of());
        }
    }
}
