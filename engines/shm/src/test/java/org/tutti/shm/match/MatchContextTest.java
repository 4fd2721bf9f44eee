package org.tutti.shm.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

class MatchContextTest {
    private final MatchContext context = new MatchContext();

    private static ShmTransfer receive(int source, int tag) {
        ShmTransfer t = new ShmTransfer();
        t.kind = Transfer.Kind.RECV;
        t.peer = source;
        t.tag = tag;
        return t;
    }

    private static Arrival arrival(int source, int tag) {
        Arrival a = new Arrival();
        a.source = source;
        a.tag = tag;
        return a;
    }

    @Test
    void aMessageMatchesTheFirstFittingReceive() {
        ShmTransfer other = receive(2, 5);
        ShmTransfer any = receive(Transfer.ANY_SOURCE, Transfer.ANY_TAG);
        ShmTransfer exact = receive(1, 5);
        context.post(other);
        context.post(any);
        context.post(exact);
        assertThat(context.takePosted(1, 5)).isSameAs(any);
        assertThat(context.takePosted(1, 5)).isSameAs(exact);
        assertThat(context.takePosted(1, 5)).isNull();
        assertThat(context.takePosted(2, 5)).isSameAs(other);
        assertThat(context.isEmpty()).isTrue();
    }

    @Test
    void aReservedMessageMatchesNoOtherReceive() {
        Arrival a = arrival(0, 1), b = arrival(0, 1), c = arrival(0, 1);
        for (Arrival each : new Arrival[] {a, b, c}) context.keep(each);
        ShmTransfer any = receive(Transfer.ANY_SOURCE, Transfer.ANY_TAG);
        for (Arrival each : new Arrival[] {a, b}) {
            assertThat(context.takeArrival(any)).isSameAs(each);
            context.reserve(each);
        }
        assertThat(context.find(any)).isSameAs(c);
        assertThat(context.takeArrival(any)).isSameAs(c);
        context.takeReserved(a);
        assertThat(context.isEmpty()).isFalse();
        assertThat(context.firstReserved()).isSameAs(b);
        context.takeReserved(b);
        assertThat(context.isEmpty()).isTrue();
        assertThatThrownBy(() -> context.takeReserved(b)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aReceiveMatchesTheFirstFittingMessage() {
        Arrival a = arrival(0, 1), b = arrival(1, 1), c = arrival(0, 2);
        context.keep(a);
        context.keep(b);
        context.keep(c);
        assertThat(context.find(receive(0, Transfer.ANY_TAG))).isSameAs(a);
        assertThat(context.takeArrival(receive(0, 2))).isSameAs(c);
        assertThat(context.takeArrival(receive(Transfer.ANY_SOURCE, 1))).isSameAs(a);
        assertThat(context.takeArrival(receive(Transfer.ANY_SOURCE, Transfer.ANY_TAG)))
                .isSameAs(b);
        assertThat(context.isEmpty()).isTrue();
    }

    @Test
    void aWithdrawnReceiveMatchesNoMessage() {
        ShmTransfer first = receive(1, 1), second = receive(1, 1);
        context.post(first);
        context.post(second);
        assertThat(context.withdraw(second)).isTrue();
        assertThat(context.withdraw(second)).isFalse();
        assertThat(context.takePosted(1, 1)).isSameAs(first);
        assertThat(context.withdraw(first)).isFalse();
        context.post(second);
        assertThat(context.takePosted(1, 1)).isSameAs(second);
    }

    /// Compares the queues with the standard's rule, implemented with lists.
    @Test
    void matchesLikeTheStandardInAnyOrderOfEvents() {
        SplittableRandom random = new SplittableRandom(7);
        List<ShmTransfer> posted = new ArrayList<>();
        List<Arrival> kept = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            if (random.nextBoolean()) {
                ShmTransfer r = receive(random.nextInt(4) - 1, random.nextInt(4) - 1);
                Arrival expected = kept.stream()
                        .filter(a -> r.takes(a.source, a.tag))
                        .findFirst()
                        .orElse(null);
                assertThat(context.takeArrival(r)).isSameAs(expected);
                kept.remove(expected);
                if (expected == null) {
                    context.post(r);
                    posted.add(r);
                }
            } else {
                Arrival a = arrival(random.nextInt(3), random.nextInt(3));
                ShmTransfer expected = posted.stream()
                        .filter(r -> r.takes(a.source, a.tag))
                        .findFirst()
                        .orElse(null);
                assertThat(context.takePosted(a.source, a.tag)).isSameAs(expected);
                posted.remove(expected);
                if (expected == null) {
                    context.keep(a);
                    kept.add(a);
                }
            }
        }
    }

    @Test
    void onlyFreedContextsAreRemoved() {
        Matcher matcher = new Matcher();
        List<MatchContext> made = new ArrayList<>();
        for (long id = 1; id <= 1000; id++) made.add(matcher.context(id << 33));
        for (int i = 0; i < 1000; i++)
            assertThat(matcher.context((i + 1L) << 33)).isSameAs(made.get(i));
        for (long id = 1; id <= 1000; id += 2) matcher.free(id << 33);
        for (long id = 1; id <= 1000; id++) {
            assertThat(matcher.known(id << 33)).isSameAs(id % 2 == 0 ? made.get((int) id - 1) : null);
        }
    }

    @Test
    void aFreedContextIsRemovedWhenItIsEmpty() {
        Matcher matcher = new Matcher();
        MatchContext posted = matcher.context(7), kept = matcher.context(8), called = matcher.context(9);
        ShmTransfer receive = receive(0, 1);
        posted.post(receive);
        kept.keep(arrival(0, 1));
        called.begin();
        for (long id = 7; id <= 9; id++) matcher.free(id);
        for (long id = 10; id < 100_000; id++) {
            matcher.context(id);
            matcher.free(id);
        }
        assertThat(matcher.slots()).isEqualTo(16);
        assertThat(matcher.context(7)).isSameAs(posted);
        assertThat(matcher.context(8)).isSameAs(kept);
        assertThat(matcher.context(9)).isSameAs(called);
        posted.withdraw(receive);
        called.finish(new TestPort(), 1, 0, 0, 0);
        matcher.free(10);
        assertThat(matcher.known(7)).isNull();
        assertThat(matcher.known(8)).isSameAs(kept);
        assertThat(matcher.known(9)).isNull();
    }

    /// Ids that hash to the same slots, freed in random order.
    @Test
    void removalKeepsContextsInNeighboringSlots() {
        SplittableRandom random = new SplittableRandom(11);
        Matcher matcher = new Matcher();
        Map<Long, MatchContext> expected = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long id = 1L + random.nextInt(64);
            MatchContext known = expected.get(id);
            if (random.nextBoolean()) {
                MatchContext c = matcher.context(id);
                if (known != null) assertThat(c).isSameAs(known);
                expected.put(id, c);
            } else {
                matcher.free(id);
                expected.remove(id);
            }
            assertThat(matcher.known(id)).isSameAs(expected.get(id));
        }
        expected.forEach((id, c) -> assertThat(matcher.known(id)).isSameAs(c));
    }

    @Test
    void thePoolIsBounded() {
        Matcher matcher = new Matcher();
        List<Arrival> many = new ArrayList<>();
        for (int i = 0; i < 12_000; i++) {
            Arrival a = matcher.take();
            a.roomFor(16 << 10);
            many.add(a);
        }
        many.forEach(matcher::giveBack);
        long pooled = 0;
        for (int i = 0; i < 12_000; i++) pooled += matcher.take().copy().byteSize();
        assertThat(pooled).isBetween(1L, Matcher.MOST_POOLED_BYTES);
    }

    private static final class TestPort extends CommPort {
        TestPort() {
            super(0, 1, "TEST");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }
}
