package org.tutti.lab.micro;

import java.lang.foreign.Arena;
import org.openjdk.jmh.annotations.Benchmark;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.shm.slots.SlotAreas;
import org.tutti.spi.CommPort;

/// Two ranks publish one call each in the slots. One rank reads the call of the other rank, compares it, and
/// marks it as finished.
public class SlotPost extends PieceCopy {
    private static final int RANKS = 2;

    private final Segment segment = Segment.ofThisProcess(new PortablePlatform(), RANKS, Arena.global());
    private final CollectiveSlots mine = new SlotAreas(segment).ofWorld(new Port(0));
    private final CollectiveSlots theirs = new SlotAreas(segment).ofWorld(new Port(1));

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "MICRO");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    @Benchmark
    public long postAndPoll() {
        long number = mine.nextNumber();
        post(mine, number);
        post(theirs, theirs.nextNumber());
        if (!theirs.isThere(0, number)) throw new IllegalStateException("post " + number + " is not there");
        long differs = theirs.contradiction(0, number) + mine.contradiction(1, number);
        mine.finish(number);
        theirs.finish(number);
        return differs;
    }

    private static void post(CollectiveSlots slots, long number) {
        if (!slots.mayPost(number, 0)) throw new IllegalStateException("no free slot for call " + number);
        slots.publish(number, 1, 2, 3, false);
    }
}
