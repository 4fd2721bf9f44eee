package org.tutti.launch.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.FlightRing;
import org.tutti.job.FlightRing.Kind;
import org.tutti.job.FlightRing.State;
import org.tutti.job.JobFile;
import org.tutti.job.JobStatus;
import org.tutti.job.PlainDoor;
import org.tutti.spi.Collective;
import org.tutti.spi.type.ElementType;

/// Where ranks spec, by what their recorders hold.
class FlightRecordsTest {
    private static final int RANKS = 3;
    private static final long WORLD = 1, HALF = 77;

    private JobFile file;
    private JobStatus status;
    private final FlightRing[] rings = new FlightRing[RANKS];

    @BeforeEach
    void create() throws Exception {
        file = new PlainDoor().createFile("tutti-test", 1 << 20);
        status = JobStatus.create(file, RANKS, true);
        for (int r = 0; r < RANKS; r++) rings[r] = FlightRing.of(file, r);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private void call(int rank, long comm, long number, Collective.Kind kind, int root, State state) {
        FlightRing ring = rings[rank];
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

    private String difference() {
        return FlightRecords.of(status).differenceOrMissing();
    }

    @Test
    void ranksThatCallTheSameDoNotPart() {
        for (int r = 0; r < RANKS; r++) bcast(r, 1, 0);
        assertThat(difference()).isNull();
        assertThat(FlightRecords.of(status).isEmpty()).isFalse();
    }

    @Test
    void theFirstCallThatDiffersIsNamedWithBothSides() {
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
    void whoIsNotThereIsNamedWithItsLastCall() {
        for (int r = 0; r < RANKS; r++) bcast(r, 1, 0);
        barrier(0, 2, State.CALLED);
        barrier(2, 2, State.CALLED);
        assertThat(difference())
                .isEqualTo("collective call 2 of WORLD: ranks 0 and 2 barrier() at A.java:10;"
                        + " rank 1 has made call 1, bcast(4 INT, root=0) at A.java:11, as its last");
    }

    @Test
    void whoHasNoPartInACommunicatorIsNotMissedThere() {
        call(0, HALF, 1, Collective.Kind.BARRIER, 0, State.DONE);
        call(1, HALF, 1, Collective.Kind.BARRIER, 0, State.DONE);
        call(0, HALF, 2, Collective.Kind.BARRIER, 0, State.CALLED);
        assertThat(difference())
                .isEqualTo("collective call 2 of half: rank 0 barrier() at A.java:10;"
                        + " rank 1 has made call 1, barrier() at A.java:10, as its last");
    }

    @Test
    void aCallThatIsDoneIsNotWaitedFor() {
        barrier(0, 1, State.DONE);
        assertThat(difference()).isNull();
    }

    @Test
    void operationsAreLines() {
        FlightRing ring = rings[1];
        int world = ring.comm(WORLD, "WORLD");
        long send = FlightRing.head(ring.text("send"), ring.text("B.java:3"), world, Kind.SEND, ElementType.INT.code());
        ring.now(ring.begin(send, State.CALLED, 1, 2L << 32 | 7, 40, 0, 1), State.DONE);
        long recv = FlightRing.head(ring.text("irecv"), 0, world, Kind.RECV, ElementType.INT.code());
        ring.begin(recv, State.STARTED, 1, -1L << 32 | 0xffffffffL, 40, 0, 0);
        ring.received(ring.begin(recv, State.CALLED, 1, 0L << 32 | 7, 40, 0, 0), 0, 7, 12);
        barrier(1, 4, State.CALLED);
        assertThat(FlightRecords.of(status).lines(1, 9).stream().map(l -> l.replaceAll("[\\d.]+ s ago", "T")))
                .containsExactly(
                        "#1, T: send(dest=2, tag=7, 10 INT) on WORLD at B.java:3: done",
                        "#2, T: irecv(source=any, tag=any) on WORLD: under way",
                        "#3, T: irecv(source=0, tag=7) on WORLD: done, 12 bytes from 0, tag 7",
                        "#4, T: barrier() on WORLD, call 4 at A.java:10: in it");
        assertThat(FlightRecords.of(status).lines(1, 1)).hasSize(1);
    }
}
