package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A sender faster than the receiver.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlowControlTest {
    private static final int LONGS = 16;
    private static final int LINE = 64, RECORD = 192;
    private static final long BOUND = 4L << 20;
    private static final int MESSAGES = 25_000;
    private static final int NEVER = 99;

    private final List<ShmEngine> ranks = ShmEngineTest.engines(2);

    /// An unmatched receive on each rank: testing it makes progress.
    private final List<Transfer> never = ranks.stream()
            .map(r -> message(r, Transfer.Kind.RECV, r.communicators().world().rank(), NEVER, 0))
            .toList();

    FlowControlTest() {
        for (int r = 0; r < ranks.size(); r++) ranks.get(r).start(never.get(r));
    }

    private static Transfer message(ShmEngine engine, Transfer.Kind kind, int peer, int tag, int longs) {
        return engine.transfer()
                .fill(
                        kind == Transfer.Kind.SEND ? "isend" : "irecv",
                        engine.communicators().world(),
                        kind,
                        peer,
                        tag,
                        ElementType.LONG)
                .at(Memory.of(MemorySegment.ofArray(new long[longs])), 0, 8L * longs);
    }

    private void move() {
        for (int r = 0; r < ranks.size(); r++) ranks.get(r).test(never.get(r));
    }

    /// Starts sends of numbered messages, and makes progress.
    private List<Transfer> flood(int to, int count, int longs) {
        List<Transfer> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Transfer t = message(ranks.get(0), Transfer.Kind.SEND, to, 1, longs);
            if (longs > 0) t.memory.segment().set(ValueLayout.JAVA_LONG, 0, i);
            ranks.get(0).start(t);
            sent.add(t);
            if (i % 20 == 0) move();
        }
        for (int i = 0; i < count / 20; i++) move();
        return sent;
    }

    private static long done(List<Transfer> transfers) {
        return transfers.stream().filter(Transfer::isDone).count();
    }

    private void receiveAll(int at, int longs, List<Transfer> sent) {
        for (int i = 0; i < sent.size(); i++) {
            Transfer t = message(ranks.get(at), Transfer.Kind.RECV, 0, 1, longs);
            ranks.get(at).start(t);
            while (!t.isDone()) move();
            assertThat(t.failure()).isNull();
            if (longs > 0)
                assertThat(t.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        }
        while (done(sent) < sent.size()) move();
    }

    @Test
    void messagesAboveTheBoundStayWithTheSender() {
        List<Transfer> sent = flood(1, MESSAGES, LONGS);
        assertThat(done(sent)).isEqualTo(BOUND / RECORD);
        assertThat(sent.get((int) (BOUND / RECORD)).isDone()).isFalse();
        receiveAll(1, LONGS, sent);
    }

    @Test
    void emptyMessagesAreCounted() {
        List<Transfer> sent = flood(1, (int) (BOUND / LINE) + 100, 0);
        assertThat(done(sent)).isEqualTo(BOUND / LINE);
        receiveAll(1, 0, sent);
    }

    @Test
    void messagesToTheSameRankAreBounded() {
        List<Transfer> sent = flood(0, MESSAGES, LONGS);
        assertThat(done(sent)).isEqualTo(BOUND / RECORD);
        receiveAll(0, LONGS, sent);
    }

    /// The receiver publishes the size of received messages only at intervals, so a sender may stop slightly
    /// below the limit.
    @Test
    void receivedMessagesFreeSpace() {
        for (int round = 0; round < 3; round++) {
            List<Transfer> sent = flood(1, MESSAGES, LONGS);
            assertThat(done(sent)).isBetween(BOUND / RECORD * 99 / 100, BOUND / RECORD);
            receiveAll(1, LONGS, sent);
        }
    }

    /// The receiver may receive any message first, even if earlier messages were offered and are not yet
    /// received.
    @Test
    void anyMessageMayBeReceivedFirst() {
        List<Transfer> sent = flood(1, MESSAGES, LONGS);
        Transfer last = message(ranks.get(0), Transfer.Kind.SEND, 1, 2, LONGS);
        ranks.get(0).start(last);
        Transfer received = message(ranks.get(1), Transfer.Kind.RECV, 0, 2, LONGS);
        ranks.get(1).start(received);
        while (!received.isDone()) move();
        receiveAll(1, LONGS, sent);
        assertThat(last.isDone()).isTrue();
    }
}
