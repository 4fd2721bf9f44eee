package org.tutti.launch.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.FlightExcerpt;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;
import org.tutti.job.status.JobStatus;
import org.tutti.spi.Collective;
import org.tutti.spi.type.ElementType;

/// The first difference between ranks, according to the flight recorders.
class FlightRecordsTest {
    private static final int RANKS = 3;
    private static final long WORLD = 1, HALF = 77;

    private JobFile file;
    private JobStatus status;
    private final RemoteCalls remote = new RemoteCalls();
    private final FlightRing[] rings = new FlightRing[RANKS];

    /// The file of a job with rank 2 on a remote machine; the next field is the status page in this file.
    private JobFile otherFile;

    private JobStatus withoutRank2;
    private final FlightRing[] withoutRank2Rings = new FlightRing[2];

    @BeforeEach
    void create() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", 1 << 20);
        status = JobStatus.create(file, RANKS, true);
        for (int r = 0; r < RANKS; r++) rings[r] = FlightRing.of(file, r);
        otherFile = new PortablePlatform().createFile("tutti-test", 1 << 20);
        withoutRank2 = JobStatus.create(otherFile, RANKS, true);
        for (int r = 0; r < 2; r++) withoutRank2Rings[r] = FlightRing.of(otherFile, r);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
        otherFile.close();
    }

    private void call(int rank, long comm, long number, Collective.Kind kind, int root, State state) {
        call(rings[rank], comm, number, kind, root, state);
    }

    private static void call(FlightRing ring, long comm, long number, Collective.Kind kind, int root, State state) {
        String word = kind.name().toLowerCase(java.util.Locale.ROOT);
        int name = ring.comm(comm, comm == WORLD ? "WORLD" : "half");
        int line = ring.text("A.java:" + (10 + kind.ordinal()));
        long a = kind.ordinal() | (long) ElementType.INT.code() << 16 | (long) root << 32;
        long head = FlightRing.head(ring.text(word), line, name, Kind.COLLECTIVE, ElementType.INT.code());
        ring.begin(head, state, 1, a, kind == Collective.Kind.BARRIER ? 0 : 16, 0, number);
    }

    private void bcast(int rank, long number, int root) {
        call(rank, WORLD, number, Collective.Kind.BCAST, root, State.DONE);
    }

    private void barrier(int rank, long number, State state) {
        call(rank, WORLD, number, Collective.Kind.BARRIER, 0, state);
    }

    private FlightRecords records() {
        return FlightRecords.of(status, remote);
    }

    private String difference() {
        return records().differenceOrMissing();
    }

    @Test
    void ranksThatCallTheSameDoNotPart() {
        for (int r = 0; r < RANKS; r++) bcast(r, 1, 0);
        assertThat(difference()).isNull();
        assertThat(records().isEmpty()).isFalse();
    }

    @Test
    void reportsTheFirstDifferenceWithAllRanks() {
        for (int r = 0; r < RANKS; r++) bcast(r, 1, 0);
        bcast(0, 2, 0);
        bcast(1, 2, 1);
        bcast(2, 2, 0);
        for (int r = 0; r < RANKS; r++) bcast(r, 3, r);
        assertThat(difference())
                .isEqualTo("collective call 2 of WORLD: ranks 0 and 2 bcast(4 INT, root=0) at A.java:11;"
                        + " rank 1 bcast(4 INT, root=1) at A.java:11");
    }

    @Test
    void aMissingRankIsReportedWithItsLastCall() {
        for (int r = 0; r < RANKS; r++) bcast(r, 1, 0);
        barrier(0, 2, State.CALLED);
        barrier(2, 2, State.CALLED);
        assertThat(difference())
                .isEqualTo("collective call 2 of WORLD: ranks 0 and 2 barrier() at A.java:10;"
                        + " rank 1 has made call 1, bcast(4 INT, root=0) at A.java:11, as its last");
    }

    @Test
    void aNonMemberIsNotMissing() {
        call(0, HALF, 1, Collective.Kind.BARRIER, 0, State.DONE);
        call(1, HALF, 1, Collective.Kind.BARRIER, 0, State.DONE);
        call(0, HALF, 2, Collective.Kind.BARRIER, 0, State.CALLED);
        assertThat(difference())
                .isEqualTo("collective call 2 of half: rank 0 barrier() at A.java:10;"
                        + " rank 1 has made call 1, barrier() at A.java:10, as its last");
    }

    /// Stores a report of rank 2, on a remote machine: the records after `moves` calls.
    private void reportsRank2(long moves) {
        List<Entry> reported = status.flight(2).read();
        remote.update(2, "b", new FlightExcerpt(moves, reported));
    }

    private String remoteDifference() {
        return FlightRecords.of(withoutRank2, remote).differenceOrMissing();
    }

    @Test
    void aRankOnAnotherMachineIsMissedOnlyWhenItHasCalledNothingSince() throws Exception {
        for (int r = 0; r < 2; r++) call(withoutRank2Rings[r], WORLD, 2, Collective.Kind.BARRIER, 0, State.CALLED);
        bcast(2, 1, 0);
        assertThat(remoteDifference()).as("nothing is known of rank 2").isNull();
        reportsRank2(5);
        String late = "collective call 2 of WORLD: ranks 0 and 1 barrier() at A.java:10;"
                + " rank 2 has made call 1, bcast(4 INT, root=0) at A.java:11, as its last";
        assertThat(remoteDifference()).isEqualTo(late);
        remote.moved(2, 5);
        assertThat(remoteDifference()).isEqualTo(late);
        remote.moved(2, 6);
        assertThat(remoteDifference()).isNull();
        bcast(2, 2, 0);
        reportsRank2(6);
        assertThat(remoteDifference())
                .isEqualTo("collective call 2 of WORLD: ranks 0 and 1 barrier() at A.java:10;"
                        + " rank 2 bcast(4 INT, root=0) at A.java:11");
    }

    @Test
    void unreportedCallsAreNotMissingCalls() {
        for (int r = 0; r < 2; r++) barrier(r, 1, State.CALLED);
        FlightRing ring = rings[2];
        long send = FlightRing.head(ring.text("send"), 0, ring.comm(WORLD, "WORLD"), Kind.SEND, 1);
        ring.begin(send, State.DONE, 1, 0, 4, 0, 1);
        assertThat(difference())
                .isEqualTo("collective call 1 of WORLD: ranks 0 and 1 barrier() at A.java:10; rank 2 has made none");
        for (int i = 0; i < FlightRing.ENTRIES; i++) ring.begin(send, State.DONE, 1, 0, 4, 0, 1);
        assertThat(difference()).isNull();
    }

    @Test
    void aCallThatIsDoneIsNotWaitedFor() {
        barrier(0, 1, State.DONE);
        assertThat(difference()).isNull();
    }

    @Test
    void aDifferentCallIsAMismatchWhileARankWaits() {
        bcast(1, 1, 0);
        bcast(2, 1, 0);
        barrier(0, 1, State.DONE);
        assertThat(records().mismatch()).as("no rank is in it").isNull();
        barrier(0, 2, State.CALLED);
        assertThat(records().mismatch()).as("other ranks may still call it").isNull();
        bcast(1, 2, 0);
        assertThat(records().mismatch())
                .isEqualTo("collective call 2 of WORLD: rank 0 barrier() at A.java:10;"
                        + " rank 1 bcast(4 INT, root=0) at A.java:11");
    }

    @Test
    void aSkippedCallIsAMismatchAfterClose() {
        barrier(0, 1, State.CALLED);
        barrier(1, 1, State.CALLED);
        assertThat(records().mismatch()).isNull();
        FlightRing ring = rings[2];
        long close = FlightRing.head(ring.text("close"), ring.text("B.java:3"), 0, Kind.MARK, 0);
        ring.begin(close, State.DONE, 1, 0, 0, 0, 0);
        assertThat(records().mismatch()).as("it closes").isNull();
        status.state(2, JobStatus.State.LEFT);
        assertThat(records().mismatch())
                .isEqualTo("collective call 1 of WORLD: ranks 0 and 1 barrier() at A.java:10;"
                        + " rank 2 has made none, and closes at B.java:3");
    }

    @Test
    void operationsAreLines() {
        FlightRing ring = rings[1];
        int world = ring.comm(WORLD, "WORLD");
        long send = FlightRing.head(ring.text("send"), ring.text("B.java:3"), world, Kind.SEND, ElementType.INT.code());
        ring.now(ring.begin(send, State.CALLED, 1, 2L << 32 | 7, 40, 0, 1), 1, State.DONE);
        long recv = FlightRing.head(ring.text("irecv"), 0, world, Kind.RECV, ElementType.INT.code());
        ring.begin(recv, State.STARTED, 1, -1L << 32 | 0xffffffffL, 40, 0, 0);
        ring.received(ring.begin(recv, State.CALLED, 1, 0L << 32 | 7, 40, 0, 0), 1, 0, 7, 12);
        barrier(1, 4, State.CALLED);
        assertThat(records().lines(1, 9).stream().map(l -> l.replaceAll("[\\d.]+ s ago", "T")))
                .containsExactly(
                        "#1, T: send(dest=2, tag=7, 10 INT) on WORLD at B.java:3: done",
                        "#2, T: irecv(source=any, tag=any) on WORLD: under way",
                        "#3, T: irecv(source=0, tag=7) on WORLD: done, 12 bytes from 0, tag 7",
                        "#4, T: barrier() on WORLD, call 4 at A.java:10: in it");
        assertThat(records().lines(1, 1)).hasSize(1);
    }
}
