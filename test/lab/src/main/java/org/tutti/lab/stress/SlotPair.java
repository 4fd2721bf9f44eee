package org.tutti.lab.stress;

import java.lang.foreign.Arena;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.shm.slots.SlotAreas;
import org.tutti.spi.CommPort;

/// The two ends of a new communicator's slots. The tests create millions of states, so [#close] returns the
/// areas, which the engine assigns to later pairs.
final class SlotPair {
    private static final int RANKS = 2;
    private static final Segment SEGMENT = Segment.ofThisProcess(new PortablePlatform(), RANKS, Arena.global());
    static final int POSTS = SEGMENT.posts();
    private static final SlotAreas FIRST = new SlotAreas(SEGMENT), SECOND = new SlotAreas(SEGMENT);
    private static long marks = 1;

    final CollectiveSlots mine;
    final CollectiveSlots theirs;

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "STRESS");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    SlotPair() {
        synchronized (SlotPair.class) {
            long mark = ++marks;
            long[] areas = {FIRST.area(mark), SECOND.area(mark)};
            mine = FIRST.of(new Port(0), areas.clone(), new long[] {mark, mark});
            theirs = SECOND.of(new Port(1), areas.clone(), new long[] {mark, mark});
        }
    }

    /// Writes the operand of call `number` and posts it.
    static void post(CollectiveSlots slots, long number, long operand) {
        slots.nextNumber();
        SEGMENT.memory().setLong(slots.operandRoom(number, Long.BYTES), operand);
        slots.publish(number, operand, operand, operand, false);
    }

    /// The operand of `mine`'s call `number` as `theirs` sees it; -1 when post and operand do not agree.
    long seen(long number) {
        long operand = SEGMENT.memory().getLong(theirs.operand(0, number, Long.BYTES));
        for (int w = 0; w < 3; w++) if (theirs.word(0, number, w) != operand) return -1;
        return operand;
    }

    /// Called when the two ends have finished `calls` calls of `mine`, and make no more.
    void close(long calls) {
        synchronized (SlotPair.class) {
            for (long n = 1; n <= calls; n++) {
                if (!theirs.isFinished(n)) theirs.finish(n);
                if (!mine.isFinished(n)) mine.finish(n);
            }
            FIRST.close(mine);
            SECOND.close(theirs);
        }
    }
}
