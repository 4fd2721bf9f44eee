package org.tutti.job.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.calls.CallRecord.Kind;

class CallLogTest {
    private static final int MOST = 70_000; // more than a block

    @TempDir
    Path directory;

    private CallFile read(Arena arena, long finishedNanos) throws Exception {
        CallFile file = CallFile.open(directory, 1, finishedNanos, arena);
        if (file == null) throw new AssertionError("no log");
        return file;
    }

    @Test
    void aCallIsReadAsItWasWritten() throws Exception {
        CallLog log = CallLog.create(directory, 1, 4, "node7");
        int site = log.site("recv", "A.java:3"), thread = log.text("1 main"), comm = log.text("1 WORLD");
        log.enter(100);
        long number = log.begin(100, Kind.RECV, CallRecord.STARTS, site, thread, comm);
        log.is(number, 0, 2, -1, -1, 80, 0);
        log.end(number, 130);
        log.leave(130, site, false, 30, 0);
        log.messageArrived(number, 3, 7, 40);
        log.done(number, number + 1, CallRecord.FAILED);
        log.received(site, 40);
        log.clock(1000);
        try (Arena arena = Arena.ofConfined()) {
            CallFile file = read(arena, 0);
            assertThat(file.size()).isEqualTo(4);
            assertThat(file.host()).isEqualTo("node7");
            assertThat(file.records()).isEqualTo(1);
            assertThat(file.kind(0)).isEqualTo(Kind.RECV);
            assertThat(file.begin(0)).as("on rank 0's clock").isEqualTo(1100);
            assertThat(file.end(0)).isEqualTo(1130);
            assertThat(file.operation(0)).isEqualTo("recv");
            assertThat(file.line(0)).isEqualTo("A.java:3");
            assertThat(file.text(file.thread(0))).isEqualTo("1 main");
            assertThat(file.text(file.comm(0))).isEqualTo("1 WORLD");
            assertThat(file.lane(0)).isEqualTo(2);
            assertThat(file.peer(0)).isEqualTo(3);
            assertThat(file.tag(0)).isEqualTo(7);
            assertThat(file.bytes(0)).isEqualTo(40);
            assertThat(file.done(0)).isEqualTo(1);
            assertThat(file.is(0, CallRecord.STARTS | CallRecord.COMPLETE | CallRecord.FAILED))
                    .isTrue();
            assertThat(file.is(0, CallRecord.NO_MESSAGE)).isFalse();
            assertThat(file.insideNanos()).isEqualTo(30);
            assertThat(file.sites()).contains(new CallFile.Site("recv", "A.java:3", 1, 0, 30, 40));
            assertThat(file.hasLeft()).isFalse();
        }
    }

    @Test
    void openCallIsClosedAtTheEndOfTheRank() throws Exception {
        CallLog log = CallLog.create(directory, 1, 4, "node7");
        long begin = System.nanoTime();
        log.enter(begin);
        log.begin(begin, Kind.RECV, 0, log.site("recv", ""), 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            CallFile file = read(arena, begin + 500);
            assertThat(file.isFinished(0)).isFalse();
            assertThat(file.end(0)).isEqualTo(begin + 500);
            assertThat(file.insideNanos()).isEqualTo(500);
        }
    }

    @Test
    void callsThatDoNotFitAreCounted() throws Exception {
        CallLog log = CallLog.create(directory, 1, 4, "node7", MOST);
        int site = log.site("send", "A.java:3");
        for (int i = 0; i < MOST + 5; i++) {
            log.enter(i);
            long number = log.begin(i, Kind.SEND, 0, site, 0, 0);
            assertThat(number).isEqualTo(i < MOST ? i : -1);
            log.is(number, 0, 0, 1, 2, 3, 0);
            log.end(number, i + 1);
            log.done(number, number, 0);
            log.leave(i + 1, site, false, 1, 3);
        }
        log.close();
        try (Arena arena = Arena.ofConfined()) {
            CallFile file = read(arena, 0);
            assertThat(file.records()).isEqualTo(MOST);
            assertThat(file.begin(MOST - 1)).isEqualTo(MOST - 1);
            assertThat(file.leftOut()).isEqualTo(5);
            assertThat(file.sites())
                    .as("the sums are of all")
                    .contains(new CallFile.Site("send", "A.java:3", MOST + 5, 0, MOST + 5, 3L * (MOST + 5)));
            assertThat(file.hasLeft()).isTrue();
        }
    }

    @Test
    void anInterruptCostsNoCall() throws Exception {
        CallLog log = CallLog.create(directory, 1, 4, "node7");
        int site = log.site("send", "A.java:3");
        Thread.currentThread().interrupt();
        for (int i = 0; i < MOST; i++) log.begin(i, Kind.SEND, 0, site, 0, 0);
        assertThat(Thread.interrupted()).isTrue();
        try (Arena arena = Arena.ofConfined()) {
            assertThat(read(arena, 0).leftOut()).isZero();
        }
    }

    @Test
    void placesBeyondTheRoomAreOnePlace() throws Exception {
        CallLog log = CallLog.create(directory, 1, 4, "node7");
        int last = 0;
        for (int i = 0; i < CallRecord.MOST_SITES + 3; i++) last = log.site("send", "A.java:" + i);
        assertThat(last).isZero();
        assertThat(log.site("send", "A.java:7")).isEqualTo(8);
        String longest = "x".repeat(CallRecord.LONGEST_TEXT * 2);
        int number = log.text(longest);
        try (Arena arena = Arena.ofConfined()) {
            assertThat(read(arena, 0).text(number)).hasSize(CallRecord.LONGEST_TEXT);
        }
    }

    @Test
    void aRankWithoutALogHasNone() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(CallFile.open(directory, 0, 0, arena)).isNull();
            Files.write(directory.resolve("0.calls"), new byte[100]);
            assertThat(CallFile.open(directory, 0, 0, arena)).isNull();
        }
    }
}
