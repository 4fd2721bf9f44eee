package org.tutti.launch.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.calls.CallLog;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.launch.calls.Lateness.Late;
import org.tutti.spi.Collective;

/// Delayed ranks in synthetic logs of three ranks; times are in microseconds.
class LatenessTest {
    private static final int RANKS = 3;

    @TempDir
    Path directory;

    private final List<CallLog> logs = new ArrayList<>();
    private long start;

    @BeforeEach
    void create() throws Exception {
        for (int rank = 0; rank < RANKS; rank++) logs.add(CallLog.create(directory, rank, RANKS, "here"));
        start = System.nanoTime();
    }

    private long call(int rank, Kind kind, int flags, String operation, long begin, long end) {
        CallLog log = logs.get(rank);
        int site = log.site(operation, "A.java:" + rank);
        long number = log.begin(start + begin * 1000, kind, flags, site, log.text("1 main"), log.text("1 WORLD"));
        log.end(number, end == 0 ? 0 : start + end * 1000);
        return number;
    }

    private void collective(int rank, Collective.Kind kind, int root, long call, long begin, long end) {
        collective(rank, rank, kind, root, call, begin, end);
    }

    private void collective(int rank, int commRank, Collective.Kind kind, int root, long call, long begin, long end) {
        CallLog log = logs.get(rank);
        long number = call(rank, Kind.COLLECTIVE, 0, kind.name().toLowerCase(), begin, end);
        log.is(number, kind.ordinal(), 0, root, commRank, 8, call);
        if (end != 0) log.done(number, number, 0);
    }

    private long message(int rank, Kind kind, int flags, int peer, int tag, long begin, long end) {
        long number = call(rank, kind, flags, kind.name().toLowerCase(), begin, end);
        logs.get(rank).is(number, 0, 0, peer, tag, 8, 0);
        if (flags == 0) logs.get(rank).done(number, number, 0);
        return number;
    }

    private Lateness lateness() throws Exception {
        for (CallLog log : logs) log.close();
        try (JobCalls job = JobCalls.read(directory, RANKS, 0)) {
            return Lateness.of(job);
        }
    }

    @Test
    void allRanksWaitForTheLastRankInABarrier() throws Exception {
        collective(0, Collective.Kind.BARRIER, -1, 1, 0, 105);
        collective(1, Collective.Kind.BARRIER, -1, 1, 40, 105);
        collective(2, Collective.Kind.BARRIER, -1, 1, 100, 104);
        Lateness lateness = lateness();
        assertThat(lateness.worst()).containsExactly(new Late(2, "barrier at A.java:2", 1, 160_000, 100_000, 1, false));
        assertThat(lateness.waitingNanos(0)).isEqualTo(100_000);
        assertThat(lateness.waitingNanos(1)).isEqualTo(60_000);
        assertThat(lateness.waitingNanos(2)).isZero();
    }

    @Test
    void aBcastWaitsOnlyForItsRoot() throws Exception {
        collective(0, Collective.Kind.BCAST, 1, 1, 0, 51);
        collective(1, Collective.Kind.BCAST, 1, 1, 50, 52);
        collective(2, Collective.Kind.BCAST, 1, 1, 90, 91);
        assertThat(lateness().worst()).containsExactly(new Late(1, "bcast at A.java:1", 1, 50_000, 50_000, 1, false));
    }

    @Test
    void aRankThatLeftAReductionDidNotWaitForLaterRanks() throws Exception {
        collective(0, Collective.Kind.REDUCE, 0, 4, 0, 81);
        collective(1, Collective.Kind.REDUCE, 0, 4, 10, 12);
        collective(2, Collective.Kind.REDUCE, 0, 4, 80, 82);
        assertThat(lateness().worst()).containsExactly(new Late(2, "reduce at A.java:2", 1, 80_000, 80_000, 4, false));
    }

    @Test
    void aScanWaitsForLowerRanks() throws Exception {
        collective(0, Collective.Kind.SCAN, -1, 1, 0, 200);
        collective(1, Collective.Kind.SCAN, -1, 1, 70, 200);
        collective(2, Collective.Kind.SCAN, -1, 1, 100, 200);
        assertThat(lateness().worst()).isEmpty();
    }

    @Test
    void aScanWaitsForLowerRanksOfAReorderedCommunicator() throws Exception {
        collective(0, 2, Collective.Kind.SCAN, -1, 1, 70, 71);
        collective(1, 1, Collective.Kind.SCAN, -1, 1, 0, 101);
        collective(2, 0, Collective.Kind.SCAN, -1, 1, 100, 102);
        assertThat(lateness().worst()).containsExactly(new Late(2, "scan at A.java:2", 1, 100_000, 100_000, 1, false));
    }

    @Test
    void aReceiveWaitsForItsSender() throws Exception {
        message(0, Kind.RECV, 0, 1, 7, 0, 61);
        message(1, Kind.SEND, 0, 0, 7, 60, 62);
        assertThat(lateness().worst())
                .containsExactly(
                        new Late(1, "send at A.java:1, waited for in recv at A.java:0", 1, 60_000, 60_000, 0, false));
    }

    @Test
    void aReceiveThatIsAwaitedLaterWaitsFromThenOn() throws Exception {
        long started = message(0, Kind.RECV, CallRecord.STARTS, 1, 7, 0, 1);
        message(1, Kind.SEND, 0, 0, 7, 60, 62);
        long wait = call(0, Kind.WAIT, 0, "await recv", 50, 63);
        logs.get(0).call(wait, started + 1);
        logs.get(0).done(started, wait, 0);
        assertThat(lateness().worst())
                .containsExactly(new Late(
                        1, "send at A.java:1, waited for in await recv at A.java:0", 1, 10_000, 10_000, 0, false));
    }

    @Test
    void reportsTheMissingRank() throws Exception {
        collective(0, Collective.Kind.BARRIER, -1, 1, 0, 1);
        collective(1, Collective.Kind.BARRIER, -1, 1, 0, 1);
        collective(2, Collective.Kind.BARRIER, -1, 1, 0, 1);
        collective(0, Collective.Kind.ALLREDUCE, -1, 2, 10, 0);
        message(2, Kind.RECV, CallRecord.STARTS, 1, 7, 0, 1);
        call(1, Kind.SEND, 0, "send", 1, 2);
        List<Late> worst = lateness().worst();
        assertThat(worst).hasSize(1);
        assertThat(worst.getFirst().never()).isTrue();
        assertThat(worst.getFirst().rank()).isEqualTo(1);
        assertThat(worst.getFirst().what()).isEqualTo("allreduce at A.java:0");
    }

    @Test
    void aFailedCallWaitsForTheMissingRank() throws Exception {
        long early = call(0, Kind.COLLECTIVE, 0, "barrier", 10, 50);
        long later = call(2, Kind.COLLECTIVE, 0, "barrier", 20, 50);
        for (int rank = 0; rank < RANKS; rank++) collective(rank, Collective.Kind.BARRIER, -1, 1, 0, 1);
        logs.get(0).is(early, Collective.Kind.BARRIER.ordinal(), 0, -1, 0, 0, 2);
        logs.get(0).failed(early);
        logs.get(2).is(later, Collective.Kind.BARRIER.ordinal(), 0, -1, 0, 0, 2);
        logs.get(2).done(later, later, CallRecord.FAILED);
        assertThat(lateness().worst())
                .containsExactly(
                        new Late(1, "barrier at A.java:0", 1, 40_000, 40_000, 2, true),
                        new Late(1, "barrier at A.java:2", 1, 30_000, 30_000, 2, true));
    }

    @Test
    void messagesOfOneKindMeetInTheOrderOfTheirReceives() throws Exception {
        long small = message(1, Kind.SEND, 0, 0, 7, 1, 2), large = message(1, Kind.SEND, 0, 0, 7, 3, 4);
        message(1, Kind.SEND, 0, 0, 8, 5, 6);
        long first = message(0, Kind.RECV, CallRecord.STARTS, 1, 7, 7, 8);
        long cancelled = message(0, Kind.RECV, CallRecord.STARTS, 1, 7, 8, 9);
        long probe = call(0, Kind.PROBE, 0, "mprobe", 9, 10);
        long second = message(0, Kind.RECV, CallRecord.STARTS, 1, 7, 10, 11);
        long taken = message(0, Kind.RECV, 0, 1, 7, 12, 13);
        long third = message(1, Kind.SEND, 0, 0, 7, 7, 8);
        logs.get(0).call(taken, probe + 1);
        logs.get(0).done(second, 99, 0);
        logs.get(0).done(first, 99, 0);
        logs.get(0).done(cancelled, 99, CallRecord.NO_MESSAGE);
        for (CallLog log : logs) log.close();
        List<List<Long>> pairs = new ArrayList<>();
        try (JobCalls job = JobCalls.read(directory, RANKS, 0)) {
            MessagePairs.match(job, (from, send, to, receive) -> {
                assertThat(from.rank()).isEqualTo(1);
                assertThat(to.rank()).isZero();
                pairs.add(List.of((long) send, (long) receive));
            });
        }
        assertThat(pairs)
                .containsExactlyInAnyOrder(List.of(small, first), List.of(large, taken), List.of(third, second));
    }
}
