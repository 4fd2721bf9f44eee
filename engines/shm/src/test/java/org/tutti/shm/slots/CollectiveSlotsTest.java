package org.tutti.shm.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.CommPort;

class CollectiveSlotsTest {
    private static final class Port extends CommPort {
        Port(int rank) {
            this(rank, 2);
        }

        Port(int rank, int size) {
            super(rank, size, "TEST");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    private static final int POSTS = 4;

    private final Segment segment =
            new Segment(new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), 2, 2048, POSTS, 1 << 20, (at, bytes) -> {});
    private final SlotAreas first = new SlotAreas(segment);
    private final SlotAreas second = new SlotAreas(segment);
    private final CollectiveSlots mine = first.ofWorld(new Port(0));
    private final CollectiveSlots theirs = second.ofWorld(new Port(1));

    private static void post(CollectiveSlots slots, long number) {
        post(slots, number, 7);
    }

    private static void post(CollectiveSlots slots, long number, long word) {
        assertThat(slots.nextNumber()).isEqualTo(number);
        assertThat(slots.mayPost(number, 8)).isTrue();
        slots.publish(number, word, 8, 9, false);
    }

    @Test
    void otherRanksSeeAPostWithItsOperand() {
        assertThat(theirs.isThere(0, 1)).isFalse();
        segment.memory().setLong(mine.operandRoom(1, 8), 42L);
        post(mine, 1);
        segment.memory().setLong(mine.operandRoom(2, CollectiveSlots.LONGEST), 43L);
        post(mine, 2);
        assertThat(theirs.isThere(0, 2)).isTrue();
        assertThat(segment.memory().getLong(theirs.operand(0, 1, 8))).isEqualTo(42L);
        assertThat(segment.memory().getLong(theirs.operand(0, 2, CollectiveSlots.LONGEST)))
                .isEqualTo(43L);
        assertThat(theirs.isThere(0, 3)).isFalse();
    }

    @Test
    void aPostShowsWhetherItsOperandIsByAddress() {
        mine.publishAddress(1, 4096);
        post(mine, 1);
        mine.operandRoom(2, 100);
        post(mine, 2);
        assertThat(theirs.operand(0, 1, 100)).isEqualTo(4096);
        assertThat(theirs.isByAddress(0, 1, 100)).isTrue();
        assertThat(theirs.isByAddress(0, 2, 100)).isFalse();
        assertThat(theirs.isByAddress(0, 1, CollectiveSlots.SHORT))
                .as("an operand in the post")
                .isFalse();
    }

    /// The buffer for the operands of four calls has 8 KiB in total, so a third operand of 3000 bytes
    /// overwrites the first.
    @Test
    void aLongOperandDoesNotOverwriteAnUnfinishedOne() {
        long bytes = 3000;
        long first = mine.operandRoom(1, bytes);
        post(mine, 1);
        post(mine, 2);
        assertThat(mine.nextNumber()).isEqualTo(3);
        assertThat(mine.mayPost(3, bytes)).isTrue();
        long second = mine.operandRoom(3, bytes);
        assertThat(Math.abs(second - first)).isGreaterThanOrEqualTo(bytes);
        mine.publish(3, 7, 8, 9, false);
        for (long n = 1; n <= 3; n++) mine.finish(n);

        assertThat(mine.nextNumber()).isEqualTo(4);
        assertThat(mine.mayPost(4, 24)).as("an operand without buffer").isTrue();
        assertThat(mine.mayPost(4, bytes)).isFalse();
        assertThat(mine.mightPost(4, bytes)).isFalse();
        assertThat(mine.slowest(4, bytes)).isEqualTo(1);
        post(theirs, 1);
        theirs.finish(1);
        assertThat(mine.mightPost(4, bytes)).isTrue();
        assertThat(mine.mayPost(4, bytes)).isTrue();
        assertThat(mine.operandRoom(4, bytes))
                .as("at the position of the first one, because it would wrap around")
                .isEqualTo(first);
        mine.publish(4, 7, 8, 9, false);
        mine.finish(4);

        assertThat(mine.nextNumber()).isEqualTo(5);
        assertThat(mine.mayPost(5, CollectiveSlots.LONGEST)).isFalse();
        for (int n = 2; n <= 4; n++) {
            post(theirs, n);
            theirs.finish(n);
        }
        assertThat(mine.mayPost(5, CollectiveSlots.LONGEST)).isTrue();
    }

    /// Operands of the size of a piece, as in a long bcast: the larger buffer holds two.
    @Test
    void longerOperandsUseALargerBuffer() {
        int piece = mine.pieceBytes();
        assertThat(piece).isGreaterThan(CollectiveSlots.LONGEST);
        mine.operandRoom(1, 100);
        post(mine, 1);
        for (int n = 2; n <= 3; n++) {
            assertThat(mine.mayPost(n, piece)).isTrue();
            long at = mine.operandRoom(n, piece);
            post(mine, n);
            assertThat(theirs.operand(0, n, piece)).isEqualTo(at);
        }
        for (int n = 1; n <= 3; n++) mine.finish(n);
        assertThat(mine.mayPost(4, piece)).isFalse();
        assertThat(mine.mayPost(4, 24)).isTrue();
        post(theirs, 1);
        theirs.finish(1);
        assertThat(mine.mayPost(4, piece)).isFalse();
        post(theirs, 2);
        theirs.finish(2);
        assertThat(mine.mayPost(4, piece)).isTrue();
    }

    /// The fill position of the smaller buffer does not apply to the larger one.
    @Test
    void theLargerBufferIgnoresTheFillOfTheSmallerOne() {
        int piece = mine.pieceBytes();
        for (int n = 1; n <= 20; n++) {
            mine.operandRoom(n, CollectiveSlots.LONGEST);
            post(mine, n);
            post(theirs, n);
            mine.finish(n);
            theirs.finish(n);
        }
        for (int n = 21; n <= 22; n++) {
            assertThat(mine.mayPost(n, piece)).isTrue();
            mine.operandRoom(n, piece);
            post(mine, n);
            mine.finish(n);
        }
        assertThat(mine.mayPost(23, piece)).as("over call 21").isFalse();
        post(theirs, 21);
        theirs.finish(21);
        assertThat(mine.mayPost(23, piece)).isTrue();
    }

    @Test
    void aCallOfSeveralPiecesHasSeveralNumbers() {
        assertThat(mine.nextNumbers(3)).isEqualTo(1);
        assertThat(mine.nextNumber()).isEqualTo(4);
    }

    @Test
    void aSlotIsNotReusedBeforeAllRanksHaveFinished() {
        for (int n = 1; n <= POSTS; n++) {
            post(mine, n);
            mine.finish(n);
        }
        long over = mine.nextNumber();
        assertThat(mine.mayPost(over, 8)).isFalse();
        assertThat(mine.slowest(over, 8)).isEqualTo(1);
        post(theirs, 1);
        assertThat(mine.mayPost(over, 8)).isFalse();
        mine.announceWait(over, 8);
        theirs.finish(1);
        assertThat(theirs.isWaitedFor(true)).isTrue();
        assertThat(theirs.isWaitedFor(true)).isFalse();
        assertThat(mine.mayPost(over, 8)).isTrue();
    }

    @Test
    void callsMayFinishInAnyOrder() {
        for (int n = 1; n <= POSTS; n++) {
            post(mine, n);
            post(theirs, n);
            theirs.finish(n);
        }
        for (int n = POSTS; n > 1; n--) mine.finish(n);
        long over = mine.nextNumber();
        assertThat(mine.slowest(over, 8)).isEqualTo(0);
        mine.finish(1);
        assertThat(mine.slowest(over, 8)).isEqualTo(-1);
        assertThat(mine.isFinished(POSTS)).isTrue();
    }

    /// A slot in the middle of reuse does not prevent the comparison of a later call for which a post is
    /// present.
    @Test
    void aPresentCallIsComparedDuringReuseOfAnEarlierSlot() {
        for (int n = 1; n <= POSTS; n++) {
            post(mine, n);
            post(theirs, n);
            mine.finish(n);
            theirs.finish(n);
        }
        post(mine, POSTS + 1);
        post(theirs, POSTS + 1, 6);
        segment.memory().setLong(theirs.postAt(POSTS + 2) + CollectiveSlots.NUMBER, 0L);
        assertThat(mine.contradiction(1, POSTS)).isZero();
        assertThat(mine.contradiction(1, POSTS + 1)).isEqualTo(POSTS + 1);
    }

    /// Calls that are finished above the first unfinished one are stored as bits of one long.
    @Test
    void sixtyThreeCallsMayFinishBeforeTheFirst() {
        Segment large = new Segment(
                new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), 1, 2048, 64, 1 << 20, (at, bytes) -> {});
        CollectiveSlots slots = new SlotAreas(large).ofWorld(new Port(0, 1));
        for (int n = 1; n <= 64; n++) post(slots, n);
        for (int n = 2; n <= 64; n++) slots.finish(n);
        assertThat(slots.isFinished(1)).isFalse();
        slots.finish(1);
        assertThat(slots.isFinished(64)).isTrue();
        post(slots, 65);
        assertThat(slots.isFinished(65)).isFalse();
        slots.finish(65);
        assertThat(slots.isFinished(65)).isTrue();
        assertThat(slots.isFinished(66)).isFalse();
    }

    @Test
    void callsArePostedInOrder() {
        long one = mine.nextNumber();
        long two = mine.nextNumber();
        assertThat(mine.mayPost(two, 8)).isFalse();
        mine.publish(one, 1, 2, 3, false);
        assertThat(mine.mayPost(two, 8)).isTrue();
    }

    @Test
    void aDifferentCallIsDetectedOnEitherRank() {
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
    void anAreaIsReusedWhenAllRanksAreDone() {
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
                .as("with a post of a different communicator")
                .isEqualTo(0);
    }

    /// Rank 1 is in the middle of publishing call 5 while rank 0, a root that does not wait, continues.
    @Test
    void aSlotInReuseIsNotComparedWithALaterCall() {
        for (int n = 1; n <= POSTS; n++) {
            post(mine, n, 100 + n);
            mine.finish(n);
            post(theirs, n, 100 + n);
            theirs.finish(n);
        }
        long number = segment.memory().getLong(theirs.postAt(POSTS + 1) + CollectiveSlots.NUMBER);
        assertThat(number).isEqualTo(1);
        segment.memory().setLong(theirs.postAt(POSTS + 1) + CollectiveSlots.NUMBER, 0L);
        for (long n = POSTS + 1; n <= 2 * POSTS; n++) {
            assertThat(mine.contradiction(1, n - POSTS)).isZero();
            post(mine, n, 100 + n);
            mine.finish(n);
        }
        post(theirs, POSTS + 1, 100 + POSTS + 1);
        assertThat(mine.contradiction(1, 2 * POSTS))
                .as("calls whose slots rank 0 has reused")
                .isZero();
        theirs.finish(POSTS + 1);
        post(theirs, POSTS + 2, 7);
        assertThat(mine.contradiction(1, 2 * POSTS)).as("a call that differs").isEqualTo(POSTS + 2);
    }

    /// A poll that reads the number of this rank's finished calls from shared memory may get an outdated value.
    @Test
    void finishedCallsOfThisRankAreNotReadFromMemory() {
        for (int n = 1; n <= POSTS; n++) post(mine, n);
        mine.finish(1);
        post(theirs, 1);
        theirs.finish(1);
        post(mine, POSTS + 1);
        segment.memory().setLong(mine.area() + CollectiveSlots.DONE, 0L);
        long over = mine.nextNumber();
        assertThat(mine.mightPost(over, 8)).isFalse();
        assertThat(mine.mayPost(over, 8)).isFalse();
        assertThat(mine.slowest(over, 8)).isEqualTo(0);
        assertThat(mine.isFinished(1)).isTrue();
        for (int n = 2; n <= over - 1; n++) mine.finish(n);
        assertThat(mine.isFinished(over - 1)).isTrue();
    }

    @Test
    void anAreaWithAnActiveCallIsNotReused() {
        long[] areas = {first.area(11), second.area(12)};
        long[] marks = {11, 12};
        CollectiveSlots a = first.of(new Port(0), areas.clone(), marks.clone());
        CollectiveSlots b = second.of(new Port(1), areas.clone(), marks.clone());
        post(a, 1);
        post(b, 1);
        b.finish(1);
        first.close(a);
        assertThat(first.area(13))
                .as("rank 0 has closed it while call 1 is active")
                .isNotEqualTo(areas[0]);
        assertThat(b.isThere(0, 1)).isTrue();
        a.finish(1);
        assertThat(first.area(14)).isEqualTo(areas[0]);
    }

    /// A rank checks for unfinished calls while a different rank, which is done with the communicator, already
    /// uses its area for a new communicator.
    @Test
    void aReusedAreaIsIgnoredByThePreviousCommunicator() {
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
        assertThat(a.incomplete(1)).isZero();
        CollectiveSlots c = second.of(new Port(1), new long[] {first.area(15), areas[1]}, new long[] {15, 13});
        post(c, 1);
        c.finish(1);
        post(c, 2);
        assertThat(a.isThere(1, 2)).isTrue();
        assertThat(a.hasMore(1)).isFalse();
    }
}
