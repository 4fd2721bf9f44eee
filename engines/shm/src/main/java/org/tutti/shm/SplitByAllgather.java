package org.tutti.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.LongExchange;

/// Creates communicators. All ranks exchange color, key, an unused context id, and the offset of the area for
/// slots. The ranks of one color form a group, ordered by key, and use the id of the group's first rank.
///
/// A rank's data is three longs, which fit into one slot for short collective calls. The code uses plain loops,
/// which are fast in the interpreter: most programs create communicators before this code is compiled.
final class SplitByAllgather {
    /// The number of longs that a rank sends, and the index of each long. The first long contains the color in
    /// the upper half and the key in the lower half.
    private static final int LONGS = 3, COLOR_AND_KEY = 0, CONTEXT = 1, AREA = 2;

    private static final long LOWER = 0xffff_ffffL;

    private final Engine engine;
    private final ShmCommunicators communicators;
    private final ContextIds ids;

    SplitByAllgather(Engine engine, ShmCommunicators communicators, ContextIds ids) {
        this.engine = engine;
        this.communicators = communicators;
        this.ids = ids;
    }

    /// Creates the communicator of the caller's color. A rank with a negative color participates and gets null.
    @Nullable
    ShmPort split(ShmPort parent, int color, int key, String operation) {
        Collective call = exchange(parent, color, key, operation);
        LongExchange.run(engine, call);
        return made(call, color);
    }

    /// Returns the call by which all ranks exchange data. The call has not been started.
    Collective exchange(ShmPort parent, int color, int key, String operation) {
        long id = ids.draw();
        long area = color < 0 || parent.size() == 1 ? 0 : communicators.slotArea(id);
        return LongExchange.call(engine, operation, parent, (long) color << Integer.SIZE | key & LOWER, id, area);
    }

    /// Creates the communicator from the result of the completed call.
    @Nullable
    ShmPort made(Collective call, int color) {
        if (color < 0) return null;
        ShmPort parent = (ShmPort) call.port();
        MemorySegment all = call.recv.memory.segment();
        int[] group = group(all, parent.size(), color);
        int size = group.length, rank = 0;
        int[] processes = new int[size];
        long[] areas = new long[size], marks = new long[size];
        for (int i = 0; i < size; i++) {
            if (group[i] == parent.rank()) rank = i;
            processes[i] = parent.process(group[i]);
            areas[i] = word(all, group[i], AREA);
            marks[i] = word(all, group[i], CONTEXT);
        }
        ShmPort port = communicators.port(rank, processes, marks[0], parent.name());
        if (parent.size() > 1) communicators.slots(port, areas, marks);
        return port;
    }

    /// Returns the ranks of one color, ordered by key, then by rank.
    private static int[] group(MemorySegment all, int size, int color) {
        long[] byKey = new long[size];
        int count = 0;
        for (int r = 0; r < size; r++) {
            long packed = word(all, r, COLOR_AND_KEY);
            if ((int) (packed >> Integer.SIZE) == color) byKey[count++] = packed << Integer.SIZE | r;
        }
        Arrays.sort(byKey, 0, count);
        int[] group = new int[count];
        for (int i = 0; i < count; i++) group[i] = (int) byKey[i];
        return group;
    }

    private static long word(MemorySegment all, int rank, int which) {
        return all.getAtIndex(JAVA_LONG, (long) LONGS * rank + which);
    }
}
