package org.tutti.shm.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.tutti.job.PlainDoor;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.CommPort;

class BoardTest {
    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, 2, "TEST");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    private final Segment segment = Segment.ofThisProcess(new PlainDoor(), 2, Arena.ofAuto());
    private final SlotAreas first = new SlotAreas(segment);
    private final SlotAreas second = new SlotAreas(segment);
    private final CollectiveSlots mine = first.ofWorld(new Port(0));
    private final CollectiveSlots theirs = second.ofWorld(new Port(1));

    private static void post(CollectiveSlots slots, long number) {
        post(slots, number, 7);
    }

    private static void post(CollectiveSlots slots, long number, long word) {
        assertThat(slots.nextNumber()).isEqualTo(number);
        assertThat(slots.mayPost(number)).isTrue();
        slots.publish(number, word, 8, 9);
    }

    @Test
    void aPostIsThereForTheOthersWithItsOperand() {
        assertThat(theirs.isThere(0, 1)).isFalse();
        segment.memory().setLong(mine.operandRoom(1, 8), 42L);
        segment.memory().setLong(mine.operandRoom(1, CollectiveSlots.LONGEST), 43L);
        post(mine, 1);
        assertThat(theirs.isThere(0, 1)).isTrue();
        assertThat(segment.memory().getLong(theirs.operand(0, 1, 8))).isEqualTo(42L);
        assertThat(segment.memory().getLong(theirs.operand(0, 1, CollectiveSlots.LONGEST)))
                .isEqualTo(43L);
        assertThat(theirs.isThere(0, 2)).isFalse();
    }

    @Test
    void nothingIsPostedOverWhatSomebodyHasNotFinished() {
        for (int n = 1; n <= CollectiveSlots.POSTS; n++) {
            post(mine, n);
            mine.finish(n);
        }
        long over = mine.nextNumber();
        assertThat(mine.mayPost(over)).isFalse();
        assertThat(mine.laggard(over)).isEqualTo(1);
        post(theirs, 1);
        assertThat(mine.mayPost(over)).isFalse();
        mine.announceWait(over);
        theirs.finish(1);
        assertThat(theirs.isWaitedFor(true)).isTrue();
        assertThat(theirs.isWaitedFor(true)).isFalse();
        assertThat(mine.mayPost(over)).isTrue();
    }

    @Test
    void callsMayFinishInAnyOrder() {
        for (int n = 1; n <= CollectiveSlots.POSTS; n++) {
            post(mine, n);
            post(theirs, n);
            theirs.finish(n);
        }
        for (int n = CollectiveSlots.POSTS; n > 1; n--) mine.finish(n);
        long over = mine.nextNumber();
        assertThat(mine.laggard(over)).isEqualTo(0);
        mine.finish(1);
        assertThat(mine.laggard(over)).isEqualTo(-1);
        assertThat(mine.isFinished(CollectiveSlots.POSTS)).isTrue();
    }

    @Test
    void postsAreMadeInOrder() {
        long one = mine.nextNumber();
        long two = mine.nextNumber();
        assertThat(mine.mayPost(two)).isFalse();
        mine.publish(one, 1, 2, 3);
        assertThat(mine.mayPost(two)).isTrue();
    }

    @Test
    void whatIsPostedOtherwiseIsFoundWhoeverComesLast() {
        post(mine, 1);
        assertThat(mine.contradiction(1, 1)).isEqualTo(0);
        post(theirs, 1);
        post(mine, 2, 70);
        post(theirs, 2, 71);
        assertThat(theirs.contradiction(0, 2)).isEqualTo(2);
        assertThat(theirs.contradiction(0, 2)).isEqualTo(0);
        assertThat(mine.contradiction(1, 2)).isEqualTo(2);
        assertThat(mine.word(1, 2, 0)).isEqualTo(71);
    }

    @Test
    void anAreaIsUsedAgainOnceAllAreDoneWithIt() {
        long[] areas = {first.area(11), second.area(12)};
        long[] marks = {11, 12};
        CollectiveSlots a = first.of(new Port(0), areas.clone(), marks.clone());
        CollectiveSlots b = second.of(new Port(1), areas.clone(), marks.clone());
        post(a, 1);
        a.finish(1);
        first.close(a);
        assertThat(first.area(13)).as("while rank 1 may still read it").isNotEqualTo(areas[0]);
        post(b, 1);
        b.finish(1);
        assertThat(first.area(14)).isEqualTo(areas[0]);
        assertThat(b.isHere(0)).isFalse();
        second.close(b);
        assertThat(second.area(15)).isEqualTo(areas[1]);
        CollectiveSlots other = second.of(new Port(1), new long[] {0, areas[1]}, new long[] {0, 15});
        post(other, 1, 70);
        assertThat(a.contradiction(1, 1))
                .as("with a post of another communicator")
                .isEqualTo(0);
    }

    /// Rank 1 stands inside the publishing of call 5 while rank 0, a root that waits for nobody, goes on.
    @Test
    void aPostThatIsBeingWrittenOverIsNeverComparedWithALaterCall() {
        for (int n = 1; n <= CollectiveSlots.POSTS; n++) {
            post(mine, n, 100 + n);
            mine.finish(n);
            post(theirs, n, 100 + n);
            theirs.finish(n);
        }
        long number = segment.memory().getLong(theirs.postAt(CollectiveSlots.POSTS + 1) + CollectiveSlots.NUMBER);
        assertThat(number).isEqualTo(1);
        segment.memory().setLong(theirs.postAt(CollectiveSlots.POSTS + 1) + CollectiveSlots.NUMBER, 0L);
        for (long n = CollectiveSlots.POSTS + 1; n <= 2 * CollectiveSlots.POSTS; n++) {
            assertThat(mine.contradiction(1, n - CollectiveSlots.POSTS)).isZero();
            post(mine, n, 100 + n);
            mine.finish(n);
        }
        post(theirs, CollectiveSlots.POSTS + 1, 100 + CollectiveSlots.POSTS + 1);
        assertThat(mine.contradiction(1, 2 * CollectiveSlots.POSTS))
                .as("calls that rank 0 has written over")
                .isZero();
        theirs.finish(CollectiveSlots.POSTS + 1);
        post(theirs, CollectiveSlots.POSTS + 2, 7);
        assertThat(mine.contradiction(1, 2 * CollectiveSlots.POSTS))
                .as("a call that is really posted otherwise")
                .isEqualTo(CollectiveSlots.POSTS + 2);
    }

    /// What a poller has read of this rank's own calls may be old by the time it goes on.
    @Test
    void whatThisRankHasFinishedIsNeverReadBack() {
        for (int n = 1; n <= CollectiveSlots.POSTS; n++) post(mine, n);
        mine.finish(1);
        post(theirs, 1);
        theirs.finish(1);
        post(mine, CollectiveSlots.POSTS + 1);
        segment.memory().setLong(mine.area() + CollectiveSlots.DONE, 0L);
        long over = mine.nextNumber();
        assertThat(mine.mightPost(over)).isFalse();
        assertThat(mine.mayPost(over)).isFalse();
        assertThat(mine.laggard(over)).isEqualTo(0);
        assertThat(mine.isFinished(1)).isTrue();
        for (int n = 2; n <= over - 1; n++) mine.finish(n);
        assertThat(mine.isFinished(over - 1)).isTrue();
    }

    @Test
    void anAreaIsNotUsedAgainWhileItsOwnRankHasACallUnderWay() {
        long[] areas = {first.area(11), second.area(12)};
        long[] marks = {11, 12};
        CollectiveSlots a = first.of(new Port(0), areas.clone(), marks.clone());
        CollectiveSlots b = second.of(new Port(1), areas.clone(), marks.clone());
        post(a, 1);
        post(b, 1);
        b.finish(1);
        first.close(a);
        assertThat(first.area(13))
                .as("rank 0 has closed it with its call 1 under way")
                .isNotEqualTo(areas[0]);
        assertThat(b.isThere(0, 1)).isTrue();
        a.finish(1);
        assertThat(first.area(14)).isEqualTo(areas[0]);
    }

    /// A rank looks what others owe it while one of them, which is done with the communicator, uses its area for
    /// another one.
    @Test
    void anAreaThatIsUsedAgainSaysNothingOfTheCommunicatorBefore() {
        long[] areas = {first.area(11), second.area(12)};
        long[] marks = {11, 12};
        CollectiveSlots a = first.of(new Port(0), areas.clone(), marks.clone());
        CollectiveSlots b = second.of(new Port(1), areas.clone(), marks.clone());
        post(a, 1);
        post(b, 1);
        a.finish(1);
        b.finish(1);
        second.close(b);
        assertThat(second.area(13)).isEqualTo(areas[1]);
        assertThat(a.unmade(1)).isZero();
        CollectiveSlots c = second.of(new Port(1), new long[] {first.area(15), areas[1]}, new long[] {15, 13});
        post(c, 1);
        c.finish(1);
        post(c, 2);
        assertThat(a.isThere(1, 2)).isTrue();
        assertThat(a.hasMore(1)).isFalse();
    }
}
