package org.tutti.lab.stress;

import java.lang.foreign.Arena;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.shm.slots.SlotAreas;
import org.tutti.spi.CommPort;

/// The slots of a new communicator, as used by the two ranks. The tests create millions of pairs, so [#close]
/// returns the areas to the engine, which assigns these to later pairs.
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

    /// Writes the operand of call `number` and publishes the call.
    static void post(CollectiveSlots slots, long number, long operand) {
        slots.nextNumber();
        SEGMENT.memory().setLong(slots.operandRoom(number, Long.BYTES), operand);
        slots.publish(number, operand, operand, operand, false);
    }

    /// Returns the operand of call `number` of `mine`, as read by `theirs`, or -1 if the operand does not fit
    /// the slot.
    long seen(long number) {
        long operand = SEGMENT.memory().getLong(theirs.operand(0, number, Long.BYTES));
        for (int w = 0; w < 3; w++) if (theirs.word(0, number, w) != operand) return -1;
        return operand;
    }

    /// Releases the slots after `calls` calls of `mine`, when the two ranks make no more calls.
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
