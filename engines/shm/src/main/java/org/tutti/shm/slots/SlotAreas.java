package org.tutti.shm.slots;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.CommPort;

/// The slots of one rank, for each communicator, and the rank's areas. An area is reused when all ranks of the
/// communicator have finished the calls in it. Accessed under the progress lock.
public final class SlotAreas {
    private record Entry(CollectiveSlots slots, CommPort port) {}

    private final Segment segment;
    private final List<Entry> open = new ArrayList<>();
    private final List<Entry> closed = new ArrayList<>();

    public SlotAreas(Segment segment) {
        this.segment = segment;
    }

    /// Creates the world's slots. The ranks publish the areas in the segment.
    public CollectiveSlots ofWorld(CommPort world) {
        long[] areas = new long[world.size()];
        long[] marks = new long[world.size()];
        Arrays.fill(marks, 1);
        areas[world.rank()] = area(1);
        segment.publishWorldArea(world.process(world.rank()), areas[world.rank()]);
        return add(new CollectiveSlots(segment, world.rank(), areas, marks, world.process(0)), world);
    }

    /// Returns an area of this rank for a new communicator.
    ///
    /// @param mark a value that differs from all marks that this rank has used before
    public long area(long mark) {
        long at = unused();
        if (at == 0) at = segment.extent(CollectiveSlots.areaBytes(segment), "collective call");
        CollectiveSlots.clear(segment, at, mark);
        return at;
    }

    private long unused() {
        for (Iterator<Entry> i = closed.iterator(); i.hasNext(); ) {
            CollectiveSlots b = i.next().slots;
            if (!b.isOver()) continue;
            i.remove();
            return b.area();
        }
        return 0;
    }

    /// Creates the slots of a communicator after the exchange of areas and marks.
    public CollectiveSlots of(CommPort port, long[] areas, long[] marks) {
        return add(new CollectiveSlots(segment, port.rank(), areas, marks, 0), port);
    }

    private CollectiveSlots add(CollectiveSlots made, CommPort port) {
        open.add(new Entry(made, port));
        return made;
    }

    /// Records that this rank has stopped calling on the communicator.
    public void close(CollectiveSlots slots) {
        open.removeIf(e -> {
            if (e.slots != slots) return false;
            closed.add(e);
            return true;
        });
    }

    /// Called for all slots that may have unfinished calls.
    public interface Visitor {
        void visit(CollectiveSlots slots, CommPort port);
    }

    /// A query of a communicator's slots; null means no result.
    public interface Search<T> {
        @Nullable
        T at(CollectiveSlots slots, CommPort port);
    }

    /// Returns the first result of the search, or null. The method does not allocate, because each wait
    /// searches before it sleeps.
    public <T> @Nullable T first(Search<T> search) {
        T found = first(open, search);
        return found != null ? found : first(closed, search);
    }

    private static <T> @Nullable T first(List<Entry> entries, Search<T> search) {
        for (int i = 0; i < entries.size(); i++) {
            Entry e = entries.get(i);
            T found = search.at(e.slots, e.port);
            if (found != null) return found;
        }
        return null;
    }

    /// Passes the slots of open and closed communicators to `visitor`.
    public void forEach(Visitor visitor) {
        for (Entry e : open) visitor.visit(e.slots, e.port);
        for (Entry e : closed) visitor.visit(e.slots, e.port);
    }
}
