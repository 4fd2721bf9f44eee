package org.tutti.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.LongExchange;

/// Makes communicators: every rank tells all others its color, its key, a context id that it has never
/// used, and where it will post calls; those of one color form a group, in the order of their keys, and
/// take the id of their first.
final class SplitByAllgather {
    private static final int WORDS = 4, COLOR = 0, KEY = 1, CONTEXT = 2, AREA = 3;

    private final Engine engine;
    private final ShmCommunicators communicators;
    private final ContextIds ids;

    SplitByAllgather(Engine engine, ShmCommunicators communicators, ContextIds ids) {
        this.engine = engine;
        this.communicators = communicators;
        this.ids = ids;
    }

    /// A negative color takes part and gets null.
    @Nullable
    ShmPort split(ShmPort parent, int color, int key, String operation) {
        Collective call = tell(parent, color, key, operation);
        LongExchange.run(engine, call);
        return made(call, color);
    }

    /// The call by which all tell all, not yet started.
    Collective tell(ShmPort parent, int color, int key, String operation) {
        long id = ids.draw();
        long area = color < 0 || parent.size() == 1 ? 0 : communicators.slotArea(id);
        return LongExchange.call(engine, operation, parent, color, key, id, area);
    }

    /// What came of such a call, which is done.
    @Nullable
    ShmPort made(Collective call, int color) {
        if (color < 0) return null;
        ShmPort parent = (ShmPort) call.port();
        MemorySegment all = call.recv.memory.segment();
        List<Integer> group = IntStream.range(0, parent.size())
                .filter(r -> word(all, r, COLOR) == color)
                .boxed()
                .sorted(Comparator.comparingLong((Integer r) -> word(all, r, KEY))
                        .thenComparing(r -> r))
                .toList();
        int[] processes = group.stream().mapToInt(parent::process).toArray();
        long context = word(all, group.getFirst(), CONTEXT);
        ShmPort port = communicators.port(group.indexOf(parent.rank()), processes, context, parent.name());
        if (parent.size() > 1) communicators.slots(port, words(all, group, AREA), words(all, group, CONTEXT));
        return port;
    }

    private static long[] words(MemorySegment all, List<Integer> group, int which) {
        return group.stream().mapToLong(r -> word(all, r, which)).toArray();
    }

    private static long word(MemorySegment all, int rank, int which) {
        return all.getAtIndex(JAVA_LONG, (long) WORDS * rank + which);
    }
}
