package org.tutti.job.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;

class FlightRingTest {
    private static final long WORLD = 1;

    private JobFile file;
    private FlightRing ring;

    @BeforeEach
    void create() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", 1 << 20);
        ring = FlightRing.of(file, 2);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private long send(int dest, int tag, long k) {
        long head = FlightRing.head(ring.text("send"), ring.text("A.java:7"), ring.comm(WORLD, "WORLD"), Kind.SEND, 3);
        return ring.begin(head, State.CALLED, 11, (long) dest << 32 | tag, 80, 0, k);
    }

    private long barrier(long call) {
        long head = FlightRing.head(ring.text("barrier"), 0, ring.comm(WORLD, "WORLD"), Kind.COLLECTIVE, 0);
        return ring.begin(head, State.STARTED, 11, 5, 6, 7, call);
    }

    private FlightRing reader() throws Exception {
        return FlightRing.reader(file, 2);
    }

    @Test
    void entriesAreReadInOtherProcesses() throws Exception {
        ring.now(send(1, 9, 4), 11, State.DONE);
        barrier(3);
        List<Entry> entries = reader().read();
        assertThat(entries).hasSize(2);
        Entry send = entries.getFirst(), barrier = entries.getLast();
        assertThat(send.number()).isEqualTo(1);
        assertThat(send.kind()).isEqualTo(Kind.SEND);
        assertThat(send.state()).isEqualTo(State.DONE);
        assertThat(send.operation() + " " + send.line() + " " + send.commName()).isEqualTo("send A.java:7 WORLD");
        assertThat(List.of(send.peer(), send.tag(), send.type())).containsExactly(1, 9, 3);
        assertThat(List.of(send.thread(), send.comm(), send.b(), send.d())).containsExactly(11L, WORLD, 80L, 4L);
        assertThat(barrier.state()).isEqualTo(State.STARTED);
        assertThat(barrier.line()).isEmpty();
        assertThat(List.of(barrier.a(), barrier.b(), barrier.c(), barrier.d())).containsExactly(5L, 6L, 7L, 3L);
        assertThat(FlightRing.reader(file, 1).read())
                .as("ring of the other rank")
                .isEmpty();
    }

    @Test
    void keepsTheLastOperationsInTheirOrder() throws Exception {
        for (int i = 0; i < FlightRing.ENTRIES + 100; i++) barrier(i);
        assertThat(reader().read().stream().map(Entry::number))
                .isEqualTo(LongStream.rangeClosed(101, FlightRing.ENTRIES + 100)
                        .boxed()
                        .toList());
    }

    @Test
    void aReceiveHasSourceTagAndBytes() throws Exception {
        long head = FlightRing.head(ring.text("recv"), 0, ring.comm(WORLD, "WORLD"), Kind.RECV, 0);
        long number = ring.begin(head, State.CALLED, 1, -1L << 32 | 0xffffffffL, 64, 0, 0);
        Entry before = reader().read().getFirst();
        assertThat(List.of(before.peer(), before.tag())).containsExactly(-1, -1);
        ring.received(number, ring.thread(number), 3, 17, 40);
        Entry after = reader().read().getFirst();
        assertThat(List.of(after.source(), after.receivedTag())).containsExactly(3, 17);
        assertThat(after.d()).isEqualTo(40);
        assertThat(after.thread()).as("the thread of the begin").isEqualTo(1);
        assertThat(after.state()).isEqualTo(State.DONE);
    }

    @Test
    void overwrittenEntriesAreNotUpdated() throws Exception {
        long first = barrier(1);
        for (int i = 0; i < FlightRing.ENTRIES; i++) barrier(2);
        ring.now(first, 11, State.FAILED);
        ring.received(first, 11, 1, 1, 1);
        assertThat(reader().read()).allMatch(e -> e.state() == State.STARTED && e.d() == 2);
    }

    @Test
    void findsASendByItsPlaceAmongThoseLikeIt() throws Exception {
        send(1, 9, 1);
        send(2, 9, 1);
        send(1, 9, 2);
        assertThat(reader().send(WORLD, 1, 9, 2))
                .isNotNull()
                .extracting(Entry::number)
                .isEqualTo(3L);
        assertThat(reader().send(WORLD, 1, 8, 1)).isNull();
        assertThat(reader().send(WORLD + 1, 1, 9, 2))
                .as("a different communicator")
                .isNull();
    }

    @Test
    void countsTheStartedCalls() throws Exception {
        assertThat(FlightRing.reader(file, 1).calls(WORLD)).as("no recorder").isEqualTo(-1);
        assertThat(reader().calls(WORLD)).isZero();
        for (int call = 1; call <= 5; call++) barrier(call);
        assertThat(reader().calls(WORLD)).isEqualTo(5);
        assertThat(reader().calls(99)).isZero();
        for (int i = 0; i < FlightRing.ENTRIES; i++) send(1, 1, 0);
        assertThat(reader().calls(WORLD)).as("overwritten").isEqualTo(-1);
    }

    @Test
    void textsThatFindNoRoomAreEmpty() throws Exception {
        for (int i = 0; i < 100_000; i++) ring.text("x" + i);
        for (char c = 'a'; c < 'z'; c++) ring.text("" + c);
        assertThat(ring.text("x99999")).isZero();
        assertThat(ring.text("x3")).isEqualTo(4);
        send(1, 1, 0);
        assertThat(reader().read().getFirst().operation()).isEmpty();
    }
}
