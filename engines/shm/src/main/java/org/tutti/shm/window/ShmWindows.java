package org.tutti.shm.window;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.window.ControlBlock;
import org.tutti.coll.window.SharedWindow.Parts;
import org.tutti.coll.window.WindowRanks;
import org.tutti.job.os.OsPlatform;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Extents.Extent;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LongExchange;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows;

/// Creates windows. Each rank allocates one part, and all ranks exchange the offsets of the parts.
public final class ShmWindows implements Windows {
    private static final int LONGS = 4, BLOCK = 0, PLACE = 1, BYTES = 2, UNIT = 3;

    /// The value instead of an offset if memory is insufficient, or for existing memory that is outside of the
    /// job's segment.
    private static final long NOWHERE = -1;

    private static final long PAGE = 4096;

    private final Engine engine;
    private final JobFailure failure;
    private final Shared memory;
    private final Bells bells;
    private final Extents extents;
    private final OsPlatform platform;

    public ShmWindows(
            Engine engine, JobFailure failure, Shared memory, Bells bells, Extents extents, OsPlatform platform) {
        this.engine = engine;
        this.failure = failure;
        this.memory = memory;
        this.bells = bells;
        this.extents = extents;
        this.platform = platform;
    }

    @Override
    public WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, Placement placement) {
        return new Making(operation, port, bytes, unitBytes, NOWHERE).make(placement == Placement.SHARED_IN_ONE_ROW);
    }

    @Override
    public WindowPort over(String operation, CommPort port, MemorySegment own, int unitBytes) {
        long bytes = own.byteSize();
        return new Making(operation, port, bytes, unitBytes, memory.place(own, 0, bytes)).make(false);
    }

    @Override
    public AttachedMemory attachable(String operation, WindowPort window) {
        return new ShmAttached((ShmWindow) window, memory);
    }

    /// The creation of a window.
    private final class Making {
        private final String operation;
        private final CommPort port;
        private final long bytes;
        private final int unit;

        /// The offset of this rank's existing memory; [#NOWHERE] if the memory is not in the segment.
        private final long existing;

        private final List<Extent> taken = new ArrayList<>();

        /// The reason why this rank's allocation failed; null if it did not fail.
        private @Nullable Fault full;

        Making(String operation, CommPort port, long bytes, int unit, long existing) {
            this.operation = operation;
            this.port = port;
            this.bytes = bytes;
            this.unit = unit;
            this.existing = existing;
        }

        WindowPort make(boolean contiguous) {
            try {
                return create(contiguous);
            } catch (Throwable e) {
                for (Extent t : taken) extents.give(t.at(), t.bytes());
                throw e;
            }
        }

        private WindowPort create(boolean contiguous) {
            int n = port.size();
            long control = ControlBlock.bytes(n);
            long own = contiguous || existing != NOWHERE ? 0 : bytes;
            // parts of at least a page are page-aligned
            long before = own >= PAGE ? control + PAGE - 1 & -PAGE : Extents.whole(control);
            long block = take(own > Long.MAX_VALUE - before ? own : before + own);
            long[] all = exchange(block, existing == NOWHERE ? block + before : existing, bytes, unit);
            long[] blocks = column(all, BLOCK), lengths = column(all, BYTES);
            checkAll(blocks, lengths);
            long[] places = contiguous ? inOneRow(lengths) : column(all, PLACE);
            int[] units =
                    Arrays.stream(column(all, UNIT)).mapToInt(u -> (int) u).toArray();
            WindowRanks ranks = new WindowRanks(port, memory, bells::ring, blocks);
            return new ShmWindow(engine, failure, ranks, new Parts(places, lengths, units), extents, platform, taken);
        }

        /// Lets rank 0 allocate one extent for the memory of all ranks, one part after another. Returns the
        /// offsets of the parts.
        private long[] inOneRow(long[] lengths) {
            long sum = 0;
            for (long length : lengths) sum = sum > Long.MAX_VALUE - length ? Long.MAX_VALUE : sum + length;
            long[] first = exchange(port.rank() == 0 ? take(sum) : 0, 0, 0, 0);
            long[] sums = new long[lengths.length];
            sums[0] = sum;
            checkAll(column(first, BLOCK), sums);
            long[] places = new long[lengths.length];
            places[0] = first[BLOCK];
            for (int r = 1; r < places.length; r++) places[r] = places[r - 1] + lengths[r - 1];
            return places;
        }

        private long take(long wanted) {
            try {
                long whole = wanted > memory.segment().byteSize() ? wanted : Extents.whole(wanted);
                long at = extents.take(whole, operation);
                taken.add(new Extent(at, whole));
                return at;
            } catch (Fault f) {
                String why = String.valueOf(f.getMessage()).replace(operation + ": ", "");
                full = Fault.argument(f.errorClass(), operation, why, port);
                return NOWHERE;
            }
        }

        /// Throws on all ranks if one rank has too little memory. The message names this rank.
        private void checkAll(long[] blocks, long[] lengths) {
            if (full != null) throw full;
            for (int r = 0; r < blocks.length; r++) {
                if (blocks[r] != NOWHERE) continue;
                String detail = port.describeRank(r) + " has too little memory for " + lengths[r] + " bytes";
                throw Fault.argument(PredefinedErrorClass.ERR_NO_MEM, operation, detail, port);
            }
        }

        private long[] exchange(long... mine) {
            return LongExchange.words(engine, operation, port, mine);
        }

        private long[] column(long[] all, int which) {
            long[] values = new long[port.size()];
            for (int r = 0; r < values.length; r++) values[r] = all[LONGS * r + which];
            return values;
        }
    }
}
